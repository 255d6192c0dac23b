#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/regex.h"

#include <pcre2.h>

#include <algorithm>
#include <limits>

#include "core/base/json.h"
#include "core/text/unicode_additions.h"

namespace kvantage::inline text {
namespace {

/// Oniguruma's \w as set members. It includes the six number characters of Latin-1, and no others.
std::string word_set() {
  return "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}" + additions_as_set("L") +
         additions_as_set("M") + additions_as_set("Nd");
}

/// The name in \p{name} at from[at], where `at` is after the p; empty if there is none.
std::string_view property_name(std::string_view from, std::size_t at) {
  if (at >= from.size() || from[at] != '{') return {};
  const std::size_t close = from.find('}', at);
  return close == std::string_view::npos ? std::string_view() : from.substr(at + 1, close - at - 1);
}

struct Translation {
  std::string pattern;
  std::string refused;  // cannot be expressed in PCRE2; may be empty
};

// A class is a few KiB in PCRE2's syntax: far above any tokenizer's pattern, and above what PCRE2 compiles.
constexpr std::size_t max_translated_bytes = std::size_t{1} << 20;

/// Translates Ruby's syntax to PCRE2's, where they differ in meaning for UTF-8 text.
class Translator {
 public:
  explicit Translator(std::string_view from) : from_(from) {}
  Translation run() {
    for (at_ = 0; at_ < from_.size() && !over_; ++at_) {
      if (from_[at_] == '\\' && at_ + 1 < from_.size())
        take_escape();
      else if (in_set_)
        take_in_set();
      else
        take_outside();
      if (to_.size() > max_translated_bytes) {
        result_.refused = "a pattern of this length";
        break;
      }
    }
    return std::move(result_);
  }

 private:
  std::string in_brackets(const std::string& members) const { return in_set_ ? members : "[" + members + "]"; }
  void take_escape();
  bool take_class(char escaped);
  bool take_property(char escaped);
  bool take_code_point();
  void take_in_set();
  void take_outside();

  std::string_view from_;
  Translation result_;
  std::string& to_ = result_.pattern;
  const std::string digits_ = "\\p{Nd}" + additions_as_set("Nd");
  std::size_t at_ = 0;
  bool in_set_ = false, over_ = false;
};

// PCRE2 uses the same letters for the others.
void Translator::take_escape() {
  const char escaped = from_[++at_];
  if (take_class(escaped) || ((escaped == 'p' || escaped == 'P') && take_property(escaped)) ||
      (escaped == 'u' && take_code_point()))
    return;
  to_ += '\\';
  to_ += escaped;
}

bool Translator::take_class(char escaped) {
  switch (escaped) {
    case 's':
      to_ += "\\p{White_Space}";  // PCRE2's \s also matches U+180E
      return true;
    case 'S':
      to_ += "\\P{White_Space}";
      return true;
    case 'w':
      to_ += in_brackets(word_set());
      return true;
    case 'W':
      if (in_set_) result_.refused = "\\W inside [...]";
      to_ += "[^" + word_set() + "]";
      return true;
    case 'd':
      to_ += in_brackets(digits_);
      return true;
    case 'D':
      if (in_set_) return false;
      to_ += "[^" + digits_ + "]";
      return true;
    case 'h':
      to_ += in_brackets("0-9a-fA-F");
      return true;
    case 'H':
      if (in_set_) result_.refused = "\\H inside [...]";
      to_ += "[^0-9a-fA-F]";
      return true;
    default:
      return false;
  }
}

bool Translator::take_property(char escaped) {
  const std::string_view property = property_name(from_, at_ + 1);
  const std::string newer = additions_as_set(property);
  if (newer.empty() || (escaped == 'P' && in_set_)) return false;
  const std::string members = "\\p{" + std::string(property) + "}" + newer;
  to_ += in_set_ ? members : (escaped == 'P' ? "[^" : "[") + members + "]";
  at_ += property.size() + 2;
  return true;
}

bool Translator::take_code_point() {
  if (at_ + 4 >= from_.size()) return false;
  to_ += "\\x{" + std::string(from_.substr(at_ + 1, 4)) + "}";
  at_ += 4;
  return true;
}

void Translator::take_in_set() {
  const char c = from_[at_], next = at_ + 1 < from_.size() ? from_[at_ + 1] : '\0';
  if (c == '[' && next != ':') result_.refused = "a set inside [...]";
  if (c == '&' && next == '&') result_.refused = "&& inside [...]";
  if (c == '[' && next == ':') {  // [:alpha:]
    const std::size_t close = from_.find(":]", at_ + 2);
    over_ = close == std::string_view::npos;
    if (over_) {
      result_.refused = "a set inside [...]";
      return;
    }
    to_ += from_.substr(at_, close + 2 - at_);
    at_ = close + 1;
    return;
  }
  if (c == ']') in_set_ = false;
  to_ += c;
}

void Translator::take_outside() {
  const char c = from_[at_];
  if (c == '[') in_set_ = true;
  const std::size_t open = c == '+' && at_ > 0 && from_[at_ - 1] == '}'
                               ? from_.substr(0, at_ - 1).find_last_not_of("0123456789,")
                               : std::string_view::npos;
  if (open != std::string_view::npos && from_[open] == '{') result_.refused = "{n,m}+";
  to_ += c;
}

/// Searches with limits that are set per search. One per thread, because texts are searched piece by piece.
class Matcher {
 public:
  Matcher() : context_(pcre2_match_context_create(nullptr)) { pcre2_set_heap_limit(context_, max_heap_kib); }
  ~Matcher() { pcre2_match_context_free(context_); }
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// As pcre2_match. PCRE2 limits the steps of a search but does not count them, so a search is repeated with ten times
  /// the limit until it ends or the budget does, and the limit is what it is charged.
  int match(const pcre2_code* code, std::string_view text, std::size_t position, pcre2_match_data* data,
            EncodingBudget& budget) {
    for (std::uint64_t wanted = free_steps;; wanted *= 10) {
      const std::uint64_t limit = std::min({wanted, std::max(budget.steps_left(), free_steps),
                                            std::uint64_t{std::numeric_limits<std::uint32_t>::max()}});
      const int found = match_within(code, text, position, data, static_cast<std::uint32_t>(limit));
      budget.take_steps(wanted == free_steps ? 1 : limit);
      if (found != PCRE2_ERROR_MATCHLIMIT || limit < wanted) return found;
    }
  }

 private:
  static constexpr std::uint64_t free_steps = 100;  // more than a word of most texts needs
  static constexpr std::uint32_t max_heap_kib = 1 << 20;

  int match_within(const pcre2_code* code, std::string_view text, std::size_t position, pcre2_match_data* data,
                   std::uint32_t limit) {
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    pcre2_set_match_limit(context_, limit);
    const int found = pcre2_match(code, subject, text.size(), position, PCRE2_NO_UTF_CHECK, data, context_);
    if (found != PCRE2_ERROR_JIT_STACKLIMIT) return found;
    // The interpreter keeps its state on the heap.
    return pcre2_match(code, subject, text.size(), position, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, context_);
  }

  pcre2_match_context* context_;
};

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  std::string stage;  // in messages: the file and its stage
  std::string pattern;
  ~Compiled() { pcre2_code_free(code); }
};

Regex::Regex(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

Expected<Regex> Regex::compile(std::string_view pattern, const std::string& name) {
  const Translation translation = Translator(pattern).run();
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                name + ": the regular expression '" + printable(pattern) + "' cannot be used: " + reason);
  };
  if (!translation.refused.empty()) return refuse(translation.refused + " is not supported");
  int error = 0;
  PCRE2_SIZE where = 0;
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  auto compiled = std::make_unique<Compiled>();
  compiled->stage = name;
  compiled->pattern = pattern;
  // In Ruby ^ and $ match at lines.
  compiled->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translation.pattern.data()), translation.pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &where, context);
  pcre2_compile_context_free(context);
  if (compiled->code == nullptr) {
    PCRE2_UCHAR message[256] = {};
    pcre2_get_error_message(error, message, sizeof(message));
    return refuse(reinterpret_cast<const char*>(message));
  }
  pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE);  // without JIT the same matches are found more slowly
  return Regex(std::move(compiled));
}

Expected<std::vector<TextRange>> Regex::find_all(std::string_view text, EncodingBudget& budget) const {
  thread_local Matcher matcher;
  std::vector<TextRange> ranges;
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(compiled_->code, nullptr), pcre2_match_data_free);
  std::size_t position = 0;
  std::size_t last_end = std::string_view::npos;
  while (position <= text.size()) {
    const int found = matcher.match(compiled_->code, text, position, data.get(), budget);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) return failure(found);
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data.get());
    const TextRange range{offsets[0], offsets[1]};
    if (range.end < range.begin || range.begin < position) break;  // possible with \K
    const bool empty_after_match = range.begin == range.end && range.begin == last_end;
    if (!empty_after_match) ranges.push_back(range);
    last_end = range.end;
    position = range.end;
    if (range.begin == range.end) {  // advance one character to avoid an endless match
      ++position;
      while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80) ++position;
    }
  }
  return ranges;
}

// An unfinished search is an error: as 'no match' it would silently give wrong ids.
tl::unexpected<Error> Regex::failure(int code) const {
  PCRE2_UCHAR reason[256] = {};
  pcre2_get_error_message(code, reason, sizeof(reason));
  return fail(ErrorCode::rejected_input,
              compiled_->stage + ": the regular expression '" + printable(compiled_->pattern) +
                  "' needs too many steps for this text (PCRE2: " + reinterpret_cast<const char*>(reason) +
                  "); simplify the pattern or give another text");
}

}  // namespace kvantage::inline text
