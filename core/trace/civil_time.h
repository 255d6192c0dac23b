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

/// "17", "17.25": seconds of at most 9 decimals, 0 up to 10^9 -> nanoseconds. Nothing otherwise.
std::optional<std::int64_t> parse_decimal_seconds(std::string_view text);

/// The same, to the nearest nanosecond, with any number of decimals and with an exponent: as programs print floating
/// point numbers ("5.8926549999999995", "1e-05"). `nanoseconds`: of a unit; 10^9 for seconds.
std::optional<std::int64_t> parse_rounded_time(std::string_view text, double nanoseconds = 1e9);
/// A number as such a time. Nothing below 0 and above 10^9 seconds.
std::optional<std::int64_t> rounded_time(double value, double nanoseconds = 1e9);

}  // namespace kvantage::inline trace
