#include "core/trace/civil_time.h"

#include <charconv>
#include <cmath>

#include <algorithm>

namespace kvantage::inline trace {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Consumes exactly `digits` decimal digits from the front.
std::optional<unsigned> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  unsigned number = 0;
  for (const char c : text.substr(0, digits)) {
    if (!is_digit(c)) return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

// Decimals after a point, as nanoseconds.
std::optional<std::int64_t> take_decimals(std::string_view& text) {
  const std::size_t count = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  if (count < 1 || count > 9) return std::nullopt;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < 9; ++i) number = number * 10 + (i < count ? text[i] - '0' : 0);
  text.remove_prefix(count);
  return number;
}

unsigned days_of_month(std::int64_t year, unsigned month) {
  constexpr unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

// Seconds east of UTC: no suffix means UTC.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  if (text.empty() || take(text, 'Z')) return 0;
  const bool west = text.front() == '-';
  if (!west && text.front() != '+') return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 14 || !take(text, ':')) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = std::int64_t{*hours} * 3600 + std::int64_t{*minutes} * 60;
  return west ? -seconds : seconds;
}

}  // namespace

std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  // Years start in March, so that the leap day is the last of a year; eras of 400 years repeat.
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (std::int64_t{month} + (month > 2 ? -3 : 9)) + 2) / 5 + std::int64_t{day} - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

std::optional<std::int64_t> parse_civil_time(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || *year < 1970 || *year > 2199 || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || *day < 1 || *day > days_of_month(*year, *month)) return std::nullopt;
  if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  std::int64_t nanoseconds = 0;
  if (take(text, '.')) {
    const auto decimals = take_decimals(text);
    if (!decimals) return std::nullopt;
    nanoseconds = *decimals;
  }
  const auto zone = take_zone(text);
  if (!zone || !text.empty()) return std::nullopt;
  const std::int64_t seconds = days_from_civil(*year, *month, *day) * 86400 + std::int64_t{*hour} * 3600 +
                               std::int64_t{*minute} * 60 + std::int64_t{*second} - *zone;
  if (seconds < 0) return std::nullopt;
  return seconds * nanoseconds_per_second + nanoseconds;
}

std::optional<std::int64_t> parse_decimal_seconds(std::string_view text) {
  constexpr std::int64_t max_seconds = latest_time / nanoseconds_per_second;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::int64_t seconds = 0;
  while (!text.empty() && is_digit(text.front())) {
    seconds = seconds * 10 + (text.front() - '0');
    if (seconds > max_seconds) return std::nullopt;
    text.remove_prefix(1);
  }
  std::int64_t nanoseconds = 0;
  if (take(text, '.')) {
    const auto decimals = take_decimals(text);
    if (!decimals) return std::nullopt;
    nanoseconds = *decimals;
  }
  if (!text.empty() || (seconds == max_seconds && nanoseconds > 0)) return std::nullopt;
  return seconds * nanoseconds_per_second + nanoseconds;
}

std::optional<std::int64_t> rounded_time(double value, std::int64_t nanoseconds) {
  const double time = value * static_cast<double>(nanoseconds);
  if (!(time >= 0 && time <= static_cast<double>(latest_time))) return {};
  return static_cast<std::int64_t>(std::llround(time));
}

std::optional<std::int64_t> whole_time(std::uint64_t value, std::int64_t nanoseconds) {
  if (value > static_cast<std::uint64_t>(latest_time / nanoseconds)) return {};
  return static_cast<std::int64_t>(value) * nanoseconds;
}

std::optional<std::int64_t> parse_rounded_time(std::string_view text, std::int64_t nanoseconds) {
  // A double has no nanoseconds of a time since 1970, so what is before the point is read on its own.
  std::uint64_t whole = 0;
  const auto [point, fits] = std::from_chars(text.data(), text.data() + text.size(), whole);
  const std::string_view rest = text.substr(static_cast<std::size_t>(point - text.data()));
  if (fits == std::errc() && rest.empty()) return whole_time(whole, nanoseconds);
  double value = 0;
  const bool is_decimal = fits == std::errc() && rest.front() == '.' && std::ranges::all_of(rest.substr(1), is_digit);
  const std::string_view number = is_decimal && rest.size() > 1 ? rest : text;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || number.empty()) return {};
  const auto time = rounded_time(value, nanoseconds);
  if (!time || number.size() == text.size()) return time;
  const auto begin = whole_time(whole, nanoseconds);
  return begin && *begin <= latest_time - *time ? std::optional(*begin + *time) : std::nullopt;
}

}  // namespace kvantage::inline trace
