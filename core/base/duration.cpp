#include "core/base/duration.h"

#include <array>
#include <charconv>

namespace kvantage {

Expected<double> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 5> units{{{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"ns", 1e-9}}};
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (code == std::errc{}) {
    if (!(value >= 0.0)) return fail(ErrorCode::usage, "negative");
    if (value == 0.0 && unit.empty()) return 0.0;
    for (const Unit& known : units)
      if (known.name == unit && value * known.seconds <= 3600.0) return value * known.seconds;
  }
  return fail(ErrorCode::usage, "not a time up to an hour");
}

std::string shortest_number(double value) {
  std::array<char, 64> buffer{};
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return code == std::errc{} ? std::string(buffer.data(), end) : "0";
}

}  // namespace kvantage
