// Text from files and servers as it may be shown: nothing in it commands a terminal or reorders what is around it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kvantage {

/// Bytes of the sign at `at` of valid UTF-8 that is not shown as it is, 0 where there is none: control characters (C0
/// but tab and line feed, DEL, C1), line and paragraph separators, and the marks and controls of writing direction.
std::size_t hidden_sign_bytes(std::string_view text, std::size_t at);

/// One line of valid UTF-8: spaces for tabs, line feeds and ASCII control characters, U+FFFD for other hidden signs.
std::string shown_line(std::string_view text);

/// The first `max_bytes` bytes at most, without a cut letter; "..." follows where more is left out.
std::string shortened(std::string_view text, std::size_t max_bytes = 200);

/// What a line of an error, a warning or a note has at most, with what is before it: "error: ".
inline constexpr std::size_t max_message_characters = 300;

/// A message as a shown_line() of at most `most` characters of UTF-8. What is too much goes in this order: names at the
/// end of a list of fields ("its fields: a, b, and 3 more"), the middle of the longest words (paths and quoted names),
/// the middle of the line: its end says what to do. From the last " --map " on nothing is cut.
std::string message_line(std::string_view text, std::size_t most = max_message_characters);

/// A cell of CSV (RFC 4180) that no spreadsheet takes for a formula. A number keeps its sign.
std::string csv_cell(std::string_view text);

}  // namespace kvantage
