// 8-bit floats e4m3: a sign, four bits of exponent (bias 7), three of fraction; no infinities, maximum 448.
#pragma once

#include <array>
#include <limits>

namespace kvantage::inline codecs {

constexpr float from_e4m3(unsigned code) {
  const unsigned exponent = (code >> 3) & 15U;
  const unsigned mantissa = code & 7U;
  float value = exponent == 0 ? static_cast<float>(mantissa) : static_cast<float>(8 + mantissa);
  for (unsigned e = 1; e < exponent; ++e) value *= 2;
  value *= 0x1p-9F;
  if (exponent == 15 && mantissa == 7) value = std::numeric_limits<float>::quiet_NaN();
  return (code & 0x80U) != 0 ? -value : value;
}

/// By code.
inline constexpr std::array<float, 256> e4m3_values = [] {
  std::array<float, 256> values{};
  for (unsigned code = 0; code < 256; ++code) values[code] = from_e4m3(code);
  return values;
}();

}  // namespace kvantage::inline codecs
