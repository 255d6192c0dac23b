#include "core/text/jinja/time.h"

#include <array>
#include <chrono>

#include "core/base/json.h"

namespace kvantage::inline jinja {
namespace {

constexpr std::array<const char*, 12> months{"January", "February", "March",     "April",   "May",      "June",
                                             "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<const char*, 7> weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                              "Thursday", "Friday", "Saturday"};

std::string padded(int number, std::size_t digits, char fill = '0') {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), fill) + text : text;
}

}  // namespace

Expected<std::string> jinja_strftime(std::string_view format, const JinjaTime& time) {
  using namespace std::chrono;
  const year_month_day date(year(time.year), month(static_cast<unsigned>(time.month)),
                            day(static_cast<unsigned>(time.day)));
  if (!date.ok() || time.year < 1000 || time.year > 9999)
    return fail(ErrorCode::rejected_input, "the date is none of the years 1000 to 9999");
  const std::string_view month_name = months[static_cast<std::size_t>(time.month - 1)];
  const std::string_view weekday_name = weekdays[weekday(sys_days(date)).c_encoding()];
  const int of_year = static_cast<int>((sys_days(date) - sys_days(date.year() / January / 1)).count()) + 1;
  const int hour_of_12 = time.hour % 12 == 0 ? 12 : time.hour % 12;
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    const bool plain = i + 1 < format.size() && format[i + 1] == '-';  // without zeros in front
    const std::size_t digits = plain ? 1 : 2;
    i += plain ? 2 : 1;
    switch (i < format.size() ? format[i] : '\0') {
      case 'Y':
        text += std::to_string(time.year);
        break;
      case 'y':
        text += padded(time.year % 100, digits);
        break;
      case 'm':
        text += padded(time.month, digits);
        break;
      case 'd':
        text += padded(time.day, digits);
        break;
      case 'e':
        text += padded(time.day, digits, ' ');
        break;
      case 'H':
        text += padded(time.hour, digits);
        break;
      case 'I':
        text += padded(hour_of_12, digits);
        break;
      case 'M':
        text += padded(time.minute, digits);
        break;
      case 'S':
        text += padded(time.second, digits);
        break;
      case 'j':
        text += padded(of_year, plain ? 1 : 3);
        break;
      case 'B':
        text += month_name;
        break;
      case 'b':
        text += month_name.substr(0, 3);
        break;
      case 'A':
        text += weekday_name;
        break;
      case 'a':
        text += weekday_name.substr(0, 3);
        break;
      case 'p':
        text += time.hour < 12 ? "AM" : "PM";
        break;
      case 'F':
        text += std::to_string(time.year) + "-" + padded(time.month, 2) + "-" + padded(time.day, 2);
        break;
      case 'T':
        text += padded(time.hour, 2) + ":" + padded(time.minute, 2) + ":" + padded(time.second, 2);
        break;
      case '%':
        text += '%';
        break;
      default:
        return fail(ErrorCode::rejected_input, "the form of time '" + printable(format) + "' is not supported");
    }
  }
  return text;
}

}  // namespace kvantage::inline jinja
