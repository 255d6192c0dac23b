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

/// A cell of CSV (RFC 4180) that no spreadsheet takes for a formula. A number keeps its sign.
std::string csv_cell(std::string_view text);

}  // namespace kvantage
