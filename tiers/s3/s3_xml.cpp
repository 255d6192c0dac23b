#include "tiers/s3/s3_xml.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <optional>

#include "tiers/s3/s3_etag.h"
#include "tiers/url_text.h"

#ifdef KVANTAGE_S3
#include <expat.h>
#endif

namespace kvantage::inline s3 {
namespace {

#ifdef KVANTAGE_S3

tl::unexpected<Error> no_page(const std::string& reason) {
  return fail(ErrorCode::rejected_input, "the server's list of objects: " + reason + "; check the endpoint");
}

/// Elements with nothing but text in them, by path: "ListBucketResult/Contents/Key".
class XmlLeaves {
 public:
  /// `leaf`: a path and its text; `end`: the path of each element that ends. Either returns what is wrong, or nothing.
  using Leaf = std::function<std::string(std::string_view path, const std::string& text)>;
  using End = std::function<std::string(std::string_view path)>;
  XmlLeaves(Leaf leaf, End end) : leaf_(std::move(leaf)), end_(std::move(end)) {}

  /// What is wrong with the text; empty: nothing.
  std::string read(std::string_view xml) {
    constexpr std::size_t longest = std::size_t{64} << 20;  // expat takes an int
    const std::unique_ptr<XML_ParserStruct, decltype(&::XML_ParserFree)> parser(::XML_ParserCreate(nullptr),
                                                                                &::XML_ParserFree);
    if (!parser || xml.size() > longest) return "is too long";
    parser_ = parser.get();
    ::XML_SetUserData(parser_, this);
    ::XML_SetElementHandler(
        parser_, [](void* self, const XML_Char* name, const XML_Char**) { leaves(self).begin(name); },
        [](void* self, const XML_Char*) { leaves(self).finish(); });
    ::XML_SetCharacterDataHandler(parser_, [](void* self, const XML_Char* text, int length) {
      leaves(self).add({text, static_cast<std::size_t>(length)});
    });
    ::XML_SetStartDoctypeDeclHandler(parser_, [](void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
      leaves(self).stop("has a document type, which no such answer has");
    });
    const auto status = ::XML_Parse(parser_, xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (!reason_.empty()) return reason_;
    if (status == XML_STATUS_OK) return {};
    return std::string("is no XML: ") + ::XML_ErrorString(::XML_GetErrorCode(parser_));
  }

 private:
  static constexpr std::size_t max_depth = 8, max_name_bytes = 64, max_text_bytes = 4096;

  static XmlLeaves& leaves(void* self) { return *static_cast<XmlLeaves*>(self); }
  void stop(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
    ::XML_StopParser(parser_, XML_FALSE);
  }
  void begin(std::string_view name) {
    if (!reason_.empty()) return;  // expat may deliver what it has read
    if (ends_.size() >= max_depth || name.size() > max_name_bytes) return stop("is nested too deeply");
    ends_.push_back(path_.size());
    if (!path_.empty()) path_ += '/';
    path_ += name;
    text_.clear();
    is_leaf_ = true;
  }
  void add(std::string_view text) {
    if (!reason_.empty()) return;
    if (text_.size() + text.size() > max_text_bytes) return stop("holds a text that is too long");
    text_ += text;
  }
  void finish() {
    if (!reason_.empty() || ends_.empty()) return;
    std::string wrong = is_leaf_ ? leaf_(path_, text_) : std::string();
    if (wrong.empty()) wrong = end_(path_);
    if (!wrong.empty()) return stop(wrong);
    path_.resize(ends_.back());
    ends_.pop_back();
    text_.clear();
    is_leaf_ = false;
  }

  Leaf leaf_;
  End end_;
  XML_Parser parser_ = nullptr;
  std::string path_, text_, reason_;
  std::vector<std::size_t> ends_;  // of the path before each open element
  bool is_leaf_ = false;
};

// Names are sent as in a form: %XX, and + for a blank.
std::optional<std::string> name_from_form(std::string text) {
  std::ranges::replace(text, '+', ' ');
  return percent_decoded(text);
}

#endif

}  // namespace

#ifdef KVANTAGE_S3

Expected<ListPage> parse_list_page(std::string_view xml) {
  ListPage page;
  ListedObject object;
  bool is_list = false, is_cut = false;
  const auto leaf = [&](std::string_view path, const std::string& text) -> std::string {
    if (path == "ListBucketResult/Contents/Key") {
      auto name = name_from_form(text);
      if (!name) return "has a name with a % that is no escape";
      object.name = std::move(*name);
    } else if (path == "ListBucketResult/Contents/Size") {
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), object.bytes);
      if (code != std::errc{} || end != text.data() + text.size()) return "has a size that is no number";
    } else if (path == "ListBucketResult/Contents/ETag") {
      object.etag = bare_etag(text);
    } else if (path == "ListBucketResult/Contents/LastModified") {
      object.modified = text;
    } else if (path == "ListBucketResult/IsTruncated") {
      is_cut = text == "true";
    } else if (path == "ListBucketResult/NextContinuationToken") {
      page.next = text;
    }
    return {};
  };
  const auto end = [&](std::string_view path) -> std::string {
    is_list = is_list || path == "ListBucketResult";
    if (path != "ListBucketResult/Contents") return {};
    if (page.objects.size() == max_listed_objects) return "has more than 1000 objects in a page";
    page.objects.push_back(std::move(object));
    object = {};
    return {};
  };
  if (const std::string wrong = XmlLeaves(leaf, end).read(xml); !wrong.empty()) return no_page(wrong);
  if (!is_list) return no_page("is another answer");
  if (!is_cut) page.next.clear();
  if (is_cut && page.next.empty()) return no_page("is cut and does not name its next page");
  return page;
}

S3Fault parse_fault(std::string_view xml) {
  S3Fault fault;
  const auto leaf = [&fault](std::string_view path, const std::string& text) -> std::string {
    if (path == "Error/Code") fault.code = text;
    if (path == "Error/Message") fault.message = text;
    if (path == "Error/Region") fault.region = text;
    return {};
  };
  const auto end = [](std::string_view) { return std::string(); };
  if (!XmlLeaves(leaf, end).read(xml).empty()) return {};
  return fault;
}

#else

Expected<ListPage> parse_list_page(std::string_view) {
  return fail(ErrorCode::rejected_input, "this program was built without S3; build it with -DKVANTAGE_S3=ON");
}

S3Fault parse_fault(std::string_view) { return {}; }

#endif

}  // namespace kvantage::inline s3
