// Text for a page that is both HTML and well-formed XML.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace kvantage::inline report {

/// `text` with < > & " ' as entities; characters that XML forbids become U+FFFD.
std::string escape_markup(std::string_view text);

/// Concatenates the parts.
std::string joined(std::initializer_list<std::string_view> parts);

/// A number for an attribute: at most two decimals, never an exponent, always with a point.
std::string coordinate(double value);

}  // namespace kvantage::inline report
