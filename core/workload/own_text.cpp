#include "core/workload/own_text.h"

#include <algorithm>
#include <set>

#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/base/names.h"
#include "core/workload/sentences.h"

namespace kvantage::inline workload {
namespace {

namespace fs = std::filesystem;

bool has_text_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".txt" || ending == ".md" || ending == ".text" || ending == ".markdown";
}

struct TextFile {
  fs::path path;
  std::string name;  // of its contexts: the path relative to the given folder
};

/// Counts the links to files outside the folder, which are left out: they need not be texts that its maker could read.
Status add_folder(const fs::path& folder, std::vector<TextFile>& files, std::size_t& outside_links) {
  KV_TRY(check_workload_links(folder));
  std::error_code code;
  std::vector<TextFile> found;
  auto walk = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, code);
  for (; !code && walk != fs::recursive_directory_iterator(); walk.increment(code)) {
    if (walk->path().filename().string().starts_with('.')) {
      walk.disable_recursion_pending();
      continue;
    }
    if (std::error_code ignored; !walk->is_regular_file(ignored) || !has_text_ending(walk->path())) continue;
    if (leads_outside(folder, walk->path())) {
      ++outside_links;
      continue;
    }
    found.push_back({walk->path(), walk->path().lexically_relative(folder).generic_string()});
    if (found.size() > max_text_files)
      return fail(ErrorCode::rejected_input, folder.string() + ": holds more than " + std::to_string(max_text_files) +
                                                 " text files; give a smaller folder");
  }
  if (code)
    return fail(ErrorCode::rejected_input,
                folder.string() + ": cannot be read (" + code.message() + "); check the path");
  if (found.empty() && outside_links > 0)
    return fail(ErrorCode::rejected_input,
                folder.string() + ": its text files are links to files outside it; copy those into it");
  if (found.empty())
    return fail(ErrorCode::rejected_input, folder.string() +
                                               ": holds neither workload.json nor a text file (.txt, .md); "
                                               "give a workload folder, a text file or a folder of texts");
  std::ranges::sort(found, {}, &TextFile::name);
  files.insert(files.end(), found.begin(), found.end());
  return {};
}

Expected<std::vector<TextFile>> list_files(const std::vector<fs::path>& paths, std::size_t& outside_links) {
  std::vector<TextFile> files;
  for (const fs::path& path : paths) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (fs::is_directory(status)) {
      KV_TRY(add_folder(path, files, outside_links));
    } else if (fs::is_regular_file(status)) {
      files.push_back({path, path.filename().string()});
    } else {
      return fail(ErrorCode::rejected_input,
                  path.string() + (fs::exists(status) ? ": is neither a file nor a folder; give a text file"
                                                      : ": no such file or folder; check the path"));
    }
  }
  return files;
}

std::string unique_text_id(const std::string& preferred, std::set<std::string>& taken) {
  std::string id = preferred;
  for (int number = 2; !taken.insert(id).second; ++number) id = preferred + " (" + std::to_string(number) + ")";
  return id;
}

std::size_t text_bytes(const std::vector<TextSpan>& pieces, std::size_t from, std::size_t to) {
  return pieces[to - 1].end - pieces[from].begin;
}

// The first line of the folder's license, up to the colon if more text follows.
std::string license_of(const std::vector<fs::path>& paths) {
  constexpr std::size_t longest = 80;
  for (const char* name : {"LICENCE", "LICENSE", "LICENCE.txt", "LICENSE.txt", "LICENCE.md", "LICENSE.md"}) {
    if (paths.size() != 1) break;  // no single license covers several paths
    std::error_code ignored;
    const fs::path file = paths.front() / name;
    if (!fs::is_regular_file(file, ignored) || leads_outside(paths.front(), file)) continue;
    if (fs::file_size(file, ignored) > max_text_bytes) continue;
    const auto text = read_text_file(file);
    if (!text) continue;
    const std::string valid = valid_utf8(*text);
    const std::size_t begin = valid.find_first_not_of(" \t\r\n#");
    if (begin == std::string::npos) continue;
    std::string line = valid.substr(begin, valid.find_first_of("\r\n", begin) - begin);
    line = line.substr(0, line.find(": "));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty() && line.size() <= longest) return line;
    return std::string("see ") + name;
  }
  return "unknown: the user's own text";
}

}  // namespace

bool is_own_text(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return !fs::exists(path / "workload.json", ignored);
  return fs::is_regular_file(path, ignored) && path.filename() != "workload.json";
}

Expected<std::string> cleaned_text(std::string_view bytes, const std::string& name, std::size_t& replaced) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  KV_TRY(check_not_utf16(bytes, name));
  if (bytes.find('\0') != std::string_view::npos)
    return fail(ErrorCode::rejected_input, name + ": holds NUL bytes, so it is not text; give a text in UTF-8");
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r') {
      text += bytes[i];
    } else if (i + 1 == bytes.size() || bytes[i + 1] != '\n') {
      text += '\n';
    }
  }
  std::string valid = valid_utf8(text);
  if (valid != text) {
    // Each replaced byte became the three of U+FFFD; those already in the text do not count.
    const auto count = [](std::string_view in) {
      std::size_t found = 0;
      for (std::size_t at = in.find("\xEF\xBF\xBD"); at != std::string_view::npos; at = in.find("\xEF\xBF\xBD", at + 3))
        ++found;
      return found;
    };
    const std::size_t wrong = count(valid) - count(text);
    if (wrong * 100 > text.size())
      return fail(ErrorCode::rejected_input,
                  name + ": is not UTF-8 (" + std::to_string(wrong) + " malformed characters); convert it to UTF-8");
    replaced += wrong;
  }
  return valid;
}

namespace {

/// Pieces of a text that each fit into a context: paragraphs; sentences of a paragraph that does not; words of a
/// sentence that does not.
class FittingPieces {
 public:
  FittingPieces(std::string_view text, const OwnTextOptions& options) : text_(text), options_(options) {}

  Status add_paragraph(const TextSpan& paragraph) {
    if (add(paragraph)) return check_count();
    for (TextSpan sentence : split_sentences(text_.substr(paragraph.begin, paragraph.size()))) {
      sentence.begin += paragraph.begin;
      sentence.end += paragraph.begin;
      if (!add(sentence)) KV_TRY(add_words(sentence));
      KV_TRY(check_count());
    }
    return {};
  }
  const std::vector<TextSpan>& pieces() const { return pieces_; }
  const std::vector<std::size_t>& tokens() const { return tokens_; }  // of each piece

 private:
  bool add(const TextSpan& piece) {
    if (piece.size() > max_counted_bytes) return false;
    const std::size_t tokens = options_.count_tokens(piece.of(text_)) + 2;  // including the preceding white space
    if (tokens > options_.context_tokens) return false;
    push(piece, tokens);
    return true;
  }
  void push(const TextSpan& piece, std::size_t tokens) {
    pieces_.push_back(piece);
    tokens_.push_back(tokens);
  }
  Status add_words(const TextSpan& sentence) {
    constexpr std::size_t stretch_bytes = std::size_t{1} << 20;
    for (TextSpan stretch{sentence.begin, sentence.begin, sentence.paragraph}; stretch.begin < sentence.end;
         stretch.begin = stretch.end) {
      // All words at once would take ten times the memory of the text.
      stretch.end = std::min(sentence.end, stretch.begin + stretch_bytes);
      while (stretch.end < sentence.end && !is_space(text_[stretch.end])) ++stretch.end;
      for (const TextSpan& word : split_words(text_, stretch))
        if (!add(word)) add_bytes(word);
      KV_TRY(check_count());
    }
    return {};
  }
  Status check_count() const {
    constexpr std::size_t most = 2'000'000;
    if (pieces_.size() <= most) return {};
    return fail(ErrorCode::rejected_input,
                "falls into more than " + std::to_string(most) + " paragraphs, sentences and words; give less of it");
  }
  // A run without white space: cut by bytes (a token is at least one), never inside a character.
  void add_bytes(const TextSpan& word) {
    const std::size_t most = std::min(options_.context_tokens / 2, max_counted_bytes / 2);
    for (std::size_t begin = word.begin; begin < word.end;) {
      std::size_t end = std::min(word.end, begin + most);
      while (end < word.end && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) ++end;
      const TextSpan piece{begin, end, word.paragraph};
      push(piece, options_.count_tokens(piece.of(text_)) + 2);
      begin = end;
    }
  }

  std::string_view text_;
  const OwnTextOptions& options_;
  std::vector<TextSpan> pieces_;
  std::vector<std::size_t> tokens_;
};

}  // namespace

Expected<std::vector<std::string_view>> cut_text(std::string_view text, const OwnTextOptions& options) {
  const std::size_t limit = options.context_tokens;
  const std::vector<TextSpan> paragraphs = split_paragraphs(text);
  if (paragraphs.empty()) return std::vector<std::string_view>();
  const std::string_view whole =
      text.substr(paragraphs.front().begin, paragraphs.back().end - paragraphs.front().begin);
  if (whole.size() <= max_counted_bytes && options.count_tokens(whole) <= limit)
    return std::vector<std::string_view>{whole};

  FittingPieces fitting(text, options);
  for (const TextSpan& paragraph : paragraphs) KV_TRY(fitting.add_paragraph(paragraph));
  const std::vector<TextSpan>& pieces = fitting.pieces();
  const std::vector<std::size_t>& tokens = fitting.tokens();
  std::size_t sum = 0;
  for (const std::size_t count : tokens) sum += count;
  const std::size_t parts = (sum + limit - 1) / limit;
  const std::size_t goal = (sum + parts - 1) / parts;  // avoids a short remainder at the end
  std::vector<std::string_view> cut;
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t last = first, taken = 0;
    while (last < pieces.size() && (last == first || (taken < goal && taken + tokens[last] <= limit)))
      taken += tokens[last++];
    cut.push_back(text.substr(pieces[first].begin, text_bytes(pieces, first, last)));
    first = last;
  }
  return cut;
}

Expected<Workload> read_own_text(const std::vector<fs::path>& paths, const OwnTextOptions& options,
                                 OwnTextReport* report) {
  constexpr std::size_t shortest_limit = 64;
  if (options.context_tokens < shortest_limit)
    return fail(ErrorCode::usage, "a context of at most " + std::to_string(options.context_tokens) +
                                      " tokens is too short for questions; allow at least 64");
  if (paths.empty()) return fail(ErrorCode::usage, "no text given; name a file or folder");
  OwnTextReport counts;
  KV_ASSIGN(const auto files, list_files(paths, counts.outside_links));
  Workload workload;
  const fs::path named = paths.front().lexically_normal();
  workload.name =
      as_name((named.has_filename() ? named.filename() : named.parent_path().filename()).string(), "own text");
  workload.license = options.license.empty() ? license_of(paths) : options.license;
  std::set<std::string> ids, texts;
  std::uint64_t bytes = 0;
  for (const TextFile& file : files) {
    std::error_code ignored;
    bytes += fs::file_size(file.path, ignored);
    if (bytes > max_text_bytes)
      return fail(ErrorCode::rejected_input, file.path.string() + ": makes the texts larger than " +
                                                 std::to_string(max_text_bytes >> 20) +
                                                 " MiB; give fewer or shorter ones");
    KV_ASSIGN(const auto content, read_text_file(file.path));
    KV_ASSIGN(const auto text, cleaned_text(content, file.path.string(), counts.replaced_bytes));
    const auto cut = cut_text(text, options);
    if (!cut) return fail(cut.error().code, file.path.string() + ": " + cut.error().message);
    const std::vector<std::string_view>& parts = *cut;
    if (parts.empty()) {
      if (files.size() == 1)
        return fail(ErrorCode::rejected_input, file.path.string() + ": holds no text; give a file with some sentences");
      ++counts.empty_files;
      continue;
    }
    ++counts.files;
    counts.cut_files += parts.size() > 1 ? 1 : 0;
    const std::string name = valid_utf8(file.name);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      // Two contexts with the same tokens would be one to every cache.
      if (!texts.emplace(parts[part]).second) {
        ++counts.repeated_texts;
        continue;
      }
      const std::string id = unique_text_id(parts.size() == 1 ? name : name + "#" + std::to_string(part + 1), ids);
      workload.contexts.push_back({.id = id, .family = "text", .text = std::string(parts[part])});
    }
  }
  if (workload.contexts.empty())
    return fail(ErrorCode::rejected_input,
                paths.front().string() + ": its files hold no text; give a file with some sentences");
  if (report != nullptr) *report = counts;
  return workload;
}

}  // namespace kvantage::inline workload
