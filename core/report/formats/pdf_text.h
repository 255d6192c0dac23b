// Text as a PDF file with one of the standard fonts can show it.
#pragma once

#include <string>
#include <string_view>

namespace kvantage {

inline constexpr double courier_width = 0.6;  // of the size: all letters of Courier

/// UTF-8 in the letters of the font (Windows-1252); others become "¤", control characters spaces.
std::string pdf_letters(std::string_view text);
/// "(letters)" with what the format gives a meaning escaped.
std::string pdf_string(std::string_view letters);

}  // namespace kvantage
