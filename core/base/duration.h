// Reading times with units: "20ms", "1.5s". Printing them for people: format_seconds in units.h.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

/// Seconds, 0 up to an hour; units are s, ms, us and ns, and only a plain 0 needs none. usage error, with the reason
/// alone: the caller names what was read and how to write it.
Expected<double> parse_duration(std::string_view text);

/// The shortest decimal digits that read back to the same number, whatever the locale: 0.05 -> "0.05".
std::string shortest_number(double value);

}  // namespace kvantage
