#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/regex.h"

#include <pcre2.h>

#include "core/text/unicode_additions.h"

namespace kvantage::text {
namespace {

/// \w of Oniguruma, as members of a set. It counts the six numbers of Latin-1 in, and no other.
std::string word_set() {
  return "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}" + additions_as_set("L") +
         additions_as_set("M") + additions_as_set("Nd");
}

/// The name in \p{name} at from[at], where `at` is behind the p; empty if there is none.
std::string_view property_name(std::string_view from, std::size_t at) {
  if (at >= from.size() || from[at] != '{') return {};
  const std::size_t close = from.find('}', at);
  return close == std::string_view::npos ? std::string_view() : from.substr(at + 1, close - at - 1);
}

struct Translation {
  std::string pattern;
  std::string refused;  // what cannot be said in PCRE2, or empty
};

/// From Ruby's syntax to PCRE2's, where they differ in meaning for UTF-8 text.
Translation translate(std::string_view from) {
  Translation result;
  std::string& to = result.pattern;
  const std::string digits = "\\p{Nd}" + additions_as_set("Nd");
  bool in_set = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const char c = from[i];
    if (c == '\\' && i + 1 < from.size()) {
      const char escaped = from[++i];
      switch (escaped) {
        case 's':
          to += "\\p{White_Space}";
          continue;  // PCRE2's \s also takes U+180E
        case 'S':
          to += "\\P{White_Space}";
          continue;
        case 'w':
          to += in_set ? word_set() : "[" + word_set() + "]";
          continue;
        case 'W':
          if (in_set) result.refused = "\\W inside [...]";
          to += "[^" + word_set() + "]";
          continue;
        case 'd':
          to += in_set ? digits : "[" + digits + "]";
          continue;
        case 'D':
          if (in_set) break;
          to += "[^" + digits + "]";
          continue;
        case 'h':
          to += in_set ? "0-9a-fA-F" : "[0-9a-fA-F]";
          continue;
        case 'H':
          if (in_set) result.refused = "\\H inside [...]";
          to += "[^0-9a-fA-F]";
          continue;
        case 'p':
        case 'P': {
          const std::string_view property = property_name(from, i + 1);
          const std::string newer = additions_as_set(property);
          if (newer.empty() || (escaped == 'P' && in_set)) break;
          const std::string members = "\\p{" + std::string(property) + "}" + newer;
          to += in_set ? members : (escaped == 'P' ? "[^" : "[") + members + "]";
          i += property.size() + 2;
          continue;
        }
        case 'u':
          if (i + 4 < from.size()) {
            to += "\\x{" + std::string(from.substr(i + 1, 4)) + "}";
            i += 4;
            continue;
          }
          break;
        default:
          break;
      }
      to += c;
      to += escaped;
    } else if (in_set) {
      if (c == '[' && (i + 1 >= from.size() || from[i + 1] != ':')) result.refused = "a set inside [...]";
      if (c == '&' && i + 1 < from.size() && from[i + 1] == '&') result.refused = "&& inside [...]";
      if (c == '[' && i + 1 < from.size() && from[i + 1] == ':') {  // [:alpha:]
        const std::size_t close = from.find(":]", i + 2);
        if (close == std::string_view::npos) {
          result.refused = "a set inside [...]";
          break;
        }
        to += from.substr(i, close + 2 - i);
        i = close + 1;
        continue;
      }
      if (c == ']') in_set = false;
      to += c;
    } else {
      if (c == '[') in_set = true;
      if (c == '+' && i > 0 && from[i - 1] == '}' && from.substr(0, i).rfind('{') != std::string_view::npos) {
        const std::size_t open = from.substr(0, i).rfind('{');
        const bool counts =
            from.substr(open + 1, i - open - 2).find_first_not_of("0123456789,") == std::string_view::npos;
        if (counts) result.refused = "{n,m}+";
      }
      to += c;
    }
  }
  return result;
}

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  ~Compiled() { pcre2_code_free(code); }
};

Regex::Regex(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

Expected<Regex> Regex::compile(std::string_view pattern, const std::string& name) {
  const Translation translation = translate(pattern);
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                name + ": the regular expression '" + std::string(pattern) + "' cannot be used: " + reason);
  };
  if (!translation.refused.empty()) return refuse(translation.refused + " is not supported");
  int error = 0;
  PCRE2_SIZE where = 0;
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  auto compiled = std::make_unique<Compiled>();
  // In Ruby ^ and $ are about lines.
  compiled->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translation.pattern.data()), translation.pattern.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &where, context);
  pcre2_compile_context_free(context);
  if (compiled->code == nullptr) {
    PCRE2_UCHAR message[256] = {};
    pcre2_get_error_message(error, message, sizeof(message));
    return refuse(reinterpret_cast<const char*>(message));
  }
  pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE);  // without JIT the same matches come more slowly
  return Regex(std::move(compiled));
}

std::vector<TextRange> Regex::find_all(std::string_view text) const {
  std::vector<TextRange> ranges;
  pcre2_match_data* data = pcre2_match_data_create_from_pattern(compiled_->code, nullptr);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  std::size_t position = 0;
  std::size_t last_end = std::string_view::npos;
  while (position <= text.size()) {
    int found = pcre2_match(compiled_->code, subject, text.size(), position, PCRE2_NO_UTF_CHECK, data, nullptr);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT)  // the interpreter keeps its state on the heap
      found = pcre2_match(compiled_->code, subject, text.size(), position, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data,
                          nullptr);
    if (found < 0) break;
    const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data);
    const TextRange range{offsets[0], offsets[1]};
    if (range.end < range.begin || range.begin < position) break;  // \K can do that
    const bool empty_after_match = range.begin == range.end && range.begin == last_end;
    if (!empty_after_match) ranges.push_back(range);
    last_end = range.end;
    position = range.end;
    if (range.begin == range.end) {  // step over one character, else it would match here forever
      ++position;
      while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80) ++position;
    }
  }
  pcre2_match_data_free(data);
  return ranges;
}

}  // namespace kvantage::text
