#include "core/text/jinja/python_text.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "core/base/find_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

UChar32 as_icu(char32_t character) { return static_cast<UChar32>(character); }

bool contains_character(std::string_view characters, char32_t sought) {
  for (std::size_t at = 0; at < characters.size();)
    if (next_character(characters, at) == sought) return true;
  return false;
}

bool is_line_end(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_cased(char32_t c) {
  return u_isULowercase(as_icu(c)) != 0 || u_isUUppercase(as_icu(c)) != 0 || u_istitle(as_icu(c)) != 0;
}

icu::UnicodeString utf16_of(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
}

std::vector<std::string> split_at_spaces(std::string_view text, std::int64_t most, bool from_right) {
  std::vector<std::string> parts;
  for (std::string_view rest = py_strip(text, true, true); !rest.empty();) {
    std::size_t at = from_right ? rest.size() : 0, cut = 0;
    bool found = false;
    if (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
      while (!found && (from_right ? at > 0 : at < rest.size())) {
        cut = at;
        found = is_py_space(from_right ? previous_character(rest, at) : next_character(rest, at));
      }
    }
    if (!found) {
      parts.emplace_back(rest);
      break;
    }
    parts.emplace_back(from_right ? rest.substr(cut) : rest.substr(0, cut));
    rest = from_right ? py_strip(rest.substr(0, cut), false, true) : py_strip(rest.substr(cut), true, false);
  }
  if (from_right) std::ranges::reverse(parts);
  return parts;
}

/// Byte offset of each character, and the size last.
std::vector<std::size_t> character_offsets(std::string_view text) {
  std::vector<std::size_t> offsets;
  offsets.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size(); next_character(text, at)) offsets.push_back(at);
  offsets.push_back(text.size());
  return offsets;
}

}  // namespace

bool is_py_space(char32_t c) { return (c >= 0x1C && c <= 0x1F) || is_white_space(c); }

std::string_view py_strip(std::string_view text, bool left, bool right, std::optional<std::string_view> characters) {
  const auto taken = [&](char32_t c) { return characters ? contains_character(*characters, c) : is_py_space(c); };
  while (left && !text.empty()) {
    std::size_t at = 0;
    if (!taken(next_character(text, at))) break;
    text.remove_prefix(at);
  }
  while (right && !text.empty()) {
    std::size_t at = text.size();
    if (!taken(previous_character(text, at))) break;
    text = text.substr(0, at);
  }
  return text;
}

std::vector<std::string> py_split(std::string_view text, std::optional<std::string_view> separator, std::int64_t most,
                                  bool from_right) {
  if (!separator) return split_at_spaces(text, most, from_right);
  std::vector<std::string> parts;
  while (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
    const std::size_t at = from_right ? text.rfind(*separator) : find_text(text, *separator);
    if (at == std::string_view::npos) break;
    parts.emplace_back(from_right ? text.substr(at + separator->size()) : text.substr(0, at));
    text = from_right ? text.substr(0, at) : text.substr(at + separator->size());
  }
  parts.emplace_back(text);
  if (from_right) std::ranges::reverse(parts);
  return parts;
}

std::vector<std::string> py_splitlines(std::string_view text, bool keep_ends) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at;
    const char32_t c = next_character(text, at);
    if (!is_line_end(c)) continue;
    if (c == '\r' && at < text.size() && text[at] == '\n') ++at;
    lines.emplace_back(text.substr(begin, (keep_ends ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) lines.emplace_back(text.substr(begin));
  return lines;
}

std::size_t py_count(std::string_view text, std::string_view sought) {
  if (sought.empty()) return character_count(text) + 1;
  std::size_t count = 0;
  for (std::size_t at = find_text(text, sought); at != std::string_view::npos;
       at = find_text(text, sought, at + sought.size()))
    ++count;
  return count;
}

std::size_t py_replaced_bytes(std::string_view text, std::string_view from, std::string_view to, std::int64_t most) {
  std::size_t count = py_count(text, from);
  if (most >= 0) count = std::min(count, static_cast<std::size_t>(most));
  return text.size() + count * to.size() - count * from.size();
}

std::string py_replace(std::string_view text, std::string_view from, std::string_view to, std::int64_t most) {
  std::string changed;
  auto take = [left = most]() mutable { return left < 0 || left-- > 0; };
  if (from.empty()) {  // before each character, and at the end
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      next_character(text, at);
      if (take()) changed += to;
      changed += text.substr(begin, at - begin);
    }
    if (take()) changed += to;
    return changed;
  }
  std::size_t done = 0;
  for (std::size_t at = find_text(text, from); at != std::string_view::npos && take();
       at = find_text(text, from, done)) {
    changed.append(text.substr(done, at - done)).append(to);
    done = at + from.size();
  }
  return changed.append(text.substr(done));
}

std::string py_upper(std::string_view text) {
  std::string upper;
  return utf16_of(text).toUpper(icu::Locale::getRoot()).toUTF8String(upper);
}

std::string py_capitalize(std::string_view text) {
  if (text.empty()) return {};
  std::size_t at = 0;
  next_character(text, at);
  std::string first;
  utf16_of(text.substr(0, at)).toTitle(nullptr, icu::Locale::getRoot()).toUTF8String(first);
  // A final sigma depends on what is before it.
  return first + lower_case(text).substr(lower_case(text.substr(0, at)).size());
}

std::string py_title(std::string_view text) {
  std::string titled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    bool letters = is_cased(next_character(text, at));
    while (letters && at < text.size()) {
      std::size_t next = at;
      letters = is_cased(next_character(text, next));
      if (letters) at = next;
    }
    titled += py_capitalize(text.substr(begin, at - begin));
  }
  return titled;
}

bool py_all(std::string_view text, bool (*property)(char32_t)) {
  for (std::size_t at = 0; at < text.size();)
    if (!property(next_character(text, at))) return false;
  return !text.empty();
}

bool py_is_upper(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const UChar32 c = as_icu(next_character(text, at));
    if (u_isULowercase(c) != 0 || u_istitle(c) != 0) return false;
    any = any || u_isUUppercase(c) != 0;
  }
  return any;
}

bool py_is_lower(std::string_view text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const UChar32 c = as_icu(next_character(text, at));
    if (u_isUUppercase(c) != 0 || u_istitle(c) != 0) return false;
    any = any || u_isULowercase(c) != 0;
  }
  return any;
}

bool is_py_digit(char32_t c) {
  const auto kind = u_getIntPropertyValue(as_icu(c), UCHAR_NUMERIC_TYPE);
  return kind == U_NT_DECIMAL || kind == U_NT_DIGIT;
}
bool is_py_letter(char32_t c) { return (U_GET_GC_MASK(as_icu(c)) & U_GC_L_MASK) != 0; }
bool is_py_letter_or_number(char32_t c) {
  return is_py_letter(c) || u_getIntPropertyValue(as_icu(c), UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}
bool is_py_printable(char32_t c) { return c == ' ' || (U_GET_GC_MASK(as_icu(c)) & (U_GC_C_MASK | U_GC_Z_MASK)) == 0; }

std::string py_slice(std::string_view text, std::int64_t begin, std::int64_t end, std::int64_t step) {
  const std::vector<std::size_t> offsets = character_offsets(text);
  const auto offset = [&](std::int64_t i) { return offsets[static_cast<std::size_t>(i)]; };
  if (step == 1) return begin < end ? std::string(text.substr(offset(begin), offset(end) - offset(begin))) : "";
  std::string slice;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    slice += text.substr(offset(i), offset(i + 1) - offset(i));
  return slice;
}

}  // namespace kvantage::inline jinja
