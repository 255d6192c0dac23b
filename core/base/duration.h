// Parses durations with units: "20ms", "1.5s". For printing, see format_seconds in units.h.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

/// Seconds, 0 up to an hour. Units are s, ms, us (or µs) and ns; only a plain 0 needs none. The usage error holds only
/// the reason: the caller names the value and its form.
Expected<double> parse_duration(std::string_view text);

/// The shortest decimal digits that read back to the same number, whatever the locale: 0.05 -> "0.05".
std::string shortest_number(double value);

}  // namespace kvantage
