// What a formula of utility may name: the predictions and facts of one context in one configuration.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kvantage::inline formula {

enum class Quantity : std::uint8_t {
  alpha,
  quality,
  ttft,
  frequency,
  bytes,
  tokens,
  kept,
  recompute,
  read,
  full_bytes,
  full_quality,
  stored,
};
inline constexpr std::size_t quantity_count = 12;

struct QuantityInfo {
  std::string_view name, unit, meaning;
};
/// In the order of Quantity.
const std::array<QuantityInfo, quantity_count>& quantities();

/// One value for each Quantity, in its unit.
class QuantityValues {
 public:
  double& operator[](Quantity quantity) { return values_[static_cast<std::size_t>(quantity)]; }
  double operator[](Quantity quantity) const { return values_[static_cast<std::size_t>(quantity)]; }

 private:
  std::array<double, quantity_count> values_{};
};

}  // namespace kvantage::inline formula
