// Parses and formats quantities with units. Bytes use powers of 1024 (KiB, MiB, GiB).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

/// Below it a request would come less than once in 30 years, and times of arrival would overflow.
inline constexpr double min_requests_per_second = 1e-9;

/// "64MiB", "1.5GiB", "4096", "10MB" (decimal) -> bytes. Negative, empty or unknown units: usage error.
Expected<std::uint64_t> parse_bytes(std::string_view text);
/// 6291456 -> "6.0 MiB".
std::string format_bytes(std::uint64_t bytes);
/// 0.0123 -> "12.3 ms"; picks s, ms, µs.
std::string format_seconds(double seconds);
/// A number with `digits` decimals, always with a point, whatever the locale.
std::string format_fixed(double value, int digits);
/// To so many significant digits: 0.0316228, 3 -> 0.0316.
double round_to_digits(double value, int digits);

}  // namespace kvantage
