#include "core/base/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace kvantage {
namespace {

struct ByteUnit {
  std::string_view name;
  double factor;
};
constexpr std::array<ByteUnit, 12> byte_units{{{"", 1.0},
                                               {"B", 1.0},
                                               {"KiB", 1024.0},
                                               {"MiB", 1048576.0},
                                               {"GiB", 1073741824.0},
                                               {"TiB", 1099511627776.0},
                                               {"K", 1024.0},
                                               {"M", 1048576.0},
                                               {"G", 1073741824.0},
                                               {"KB", 1e3},
                                               {"MB", 1e6},
                                               {"GB", 1e9}}};

constexpr std::string_view unit_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The unit that differs in case alone. It is not taken for it: Mb is a bit elsewhere.
std::optional<std::string_view> near_unit(std::string_view unit) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  for (const ByteUnit& known : byte_units)
    if (!unit.empty() && std::ranges::equal(known.name, unit, {}, lower, lower)) return known.name;
  return std::nullopt;
}

}  // namespace

Expected<std::uint64_t> parse_bytes(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto rest_begin = static_cast<std::size_t>(end - text.data());
  if (code == std::errc{}) {
    std::string_view unit = text.substr(rest_begin);
    while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    if (value < 0.0) return fail(ErrorCode::usage, "size '" + std::string(text) + "' is negative; give one like 64MiB");
    for (const ByteUnit& known : byte_units) {
      if (known.name != unit || std::isnan(value)) continue;
      const double bytes = value * known.factor;
      if (bytes >= 9.2e18)
        return fail(ErrorCode::usage, "size '" + std::string(text) + "': larger than 8 EiB; give one like 64MiB");
      return static_cast<std::uint64_t>(std::llround(bytes));
    }
    if (const auto near = near_unit(unit); near && !std::isnan(value))
      return fail(ErrorCode::usage, "size '" + std::string(text) + "': unknown unit '" + std::string(unit) +
                                        "'; did you mean '" + std::string(text.substr(0, rest_begin)) +
                                        std::string(*near) + "'?");
  }
  const std::string_view unit = text.substr(rest_begin);
  const bool is_unit =
      code == std::errc{} && !std::isnan(value) && !unit.empty() && unit.find_first_not_of(unit_letters) == unit.npos;
  return fail(ErrorCode::usage, "size '" + std::string(text) + "': " +
                                    (is_unit ? "unknown unit '" + std::string(unit) + "'" : std::string("not a size")) +
                                    "; write it like 64MiB or 1.5GiB");
}

std::string format_fixed(double value, int digits) {
  std::array<char, 64> buffer{};
  const auto [end, code] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  return code == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

double round_to_digits(double value, int digits) {
  std::array<char, 64> buffer{};
  const auto [end, code] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  double rounded = value;
  if (code == std::errc{}) (void)std::from_chars(buffer.data(), end, rounded);
  return rounded;
}

std::string format_bytes(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (bytes < 1024) return std::to_string(bytes) + " B";
  if (amount < 1048576.0) return format_fixed(amount / 1024.0, 1) + " KiB";
  if (amount < 1073741824.0) return format_fixed(amount / 1048576.0, 1) + " MiB";
  return format_fixed(amount / 1073741824.0, 2) + " GiB";
}

std::string format_seconds(double seconds) {
  const double magnitude = std::fabs(seconds);
  if (magnitude >= 1.0) return format_fixed(seconds, 2) + " s";
  if (magnitude >= 1e-3) return format_fixed(seconds * 1e3, 1) + " ms";
  return format_fixed(seconds * 1e6, 0) + " \u00b5s";
}

}  // namespace kvantage
