// The day of an import.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace kvantage::inline imported {

/// "2026-11-29" of nanoseconds since 1970 (Clock::utc_ns), in UTC.
inline std::string date_of(std::int64_t utc_ns) {
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::nanoseconds>{std::chrono::nanoseconds{utc_ns}});
  const std::chrono::year_month_day date{day};
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()) % 10000,
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

}  // namespace kvantage::inline imported
