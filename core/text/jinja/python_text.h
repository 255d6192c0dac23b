// Python's methods of str, on valid UTF-8: a character is a code point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage::inline jinja {

/// str.isspace() of a character: also the separators U+001C..1F.
bool is_py_space(char32_t character);
/// str.strip, lstrip or rstrip. `characters`: those that are taken; nothing: white space.
std::string_view py_strip(std::string_view text, bool left, bool right,
                          std::optional<std::string_view> characters = std::nullopt);
/// str.split or rsplit. Without a separator: at runs of white space. `most`: splits; negative: all.
std::vector<std::string> py_split(std::string_view text, std::optional<std::string_view> separator, std::int64_t most,
                                  bool from_right);
std::vector<std::string> py_splitlines(std::string_view text, bool keep_ends);
/// str.replace; `most` negative: all.
std::string py_replace(std::string_view text, std::string_view from, std::string_view to, std::int64_t most);
/// How many bytes py_replace gives.
std::size_t py_replaced_bytes(std::string_view text, std::string_view from, std::string_view to, std::int64_t most);
std::size_t py_count(std::string_view text, std::string_view sought);
std::string py_upper(std::string_view text);
/// First character upper, others lower.
std::string py_capitalize(std::string_view text);
/// str.title: the first letter of each run of letters.
std::string py_title(std::string_view text);
/// Are there characters, all of which have the property?
bool py_all(std::string_view text, bool (*property)(char32_t));
/// str.isupper, str.islower: no cased letter of the other kind, and at least one of this kind.
bool py_is_upper(std::string_view text);
bool py_is_lower(std::string_view text);
bool is_py_digit(char32_t character);
bool is_py_letter(char32_t character);
bool is_py_letter_or_number(char32_t character);
/// str.isprintable() of a character.
bool is_py_printable(char32_t character);

/// Bytes of the characters [begin, end) at a step: str[begin:end:step]. The bounds are within the text.
std::string py_slice(std::string_view text, std::int64_t begin, std::int64_t end, std::int64_t step);

}  // namespace kvantage::inline jinja
