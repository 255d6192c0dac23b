// Text encoded for a standard PDF font.
#pragma once

#include <string>
#include <string_view>

namespace kvantage::inline formats {

inline constexpr double courier_width = 0.6;  // of the size: all letters of Courier

/// UTF-8 in the font's encoding (Windows-1252); other letters become "¤", control characters spaces.
std::string pdf_letters(std::string_view text);
/// "(letters)" with the format's special characters escaped.
std::string pdf_string(std::string_view letters);

}  // namespace kvantage::inline formats
