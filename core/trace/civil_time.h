// Exact parsing of trace timestamps, in nanoseconds; no local time, no library calendar.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kvantage::inline trace {

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Hinnant, chrono-compatible low-level date
/// algorithms). Month 1-12, day 1-31, year from 1.
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day);

/// "2023-11-16 18:17:03.9799600", with a space or T, up to 9 decimals, optionally Z or +hh:mm at the end -> nanoseconds
/// since 1970-01-01; without a zone it is UTC. Nothing for an invalid time or one before 1970 or after 2199.
std::optional<std::int64_t> parse_civil_time(std::string_view text);

/// The latest time of a trace, in nanoseconds: 9 * 10^9 seconds. Times since 1970 are below it until the year 2255.
inline constexpr std::int64_t latest_time = 9'000'000'000'000'000'000;

/// "17", "17.25": seconds of at most 9 decimals, 0 up to latest_time -> nanoseconds. Nothing otherwise.
std::optional<std::int64_t> parse_decimal_seconds(std::string_view text);

/// The same, to the nearest nanosecond, with any number of decimals and with an exponent: as programs print floating
/// point numbers ("5.8926549999999995", "1e-05"). Whole numbers are exact. `nanoseconds`: of a unit, a power of 10;
/// 10^9 for seconds.
std::optional<std::int64_t> parse_rounded_time(std::string_view text, std::int64_t nanoseconds = 1'000'000'000);
/// A number as such a time. Nothing below 0 and above latest_time.
std::optional<std::int64_t> rounded_time(double value, std::int64_t nanoseconds = 1'000'000'000);
/// Exactly.
std::optional<std::int64_t> whole_time(std::uint64_t value, std::int64_t nanoseconds);

}  // namespace kvantage::inline trace
