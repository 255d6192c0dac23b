#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gpu/kernels/cuda_words.h"
#include "gpu/kernels/fp8.h"

namespace kvantage::gpu {
namespace {

// In floating point, as in core and unlike the kernel, so that errors in either are detected.
std::uint8_t to_e4m3(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = (bits >> 24) & 0x80U, magnitude = bits & 0x7fffffffU;
  const auto limited = std::min(magnitude, 0x43e00000U);  // 448
  // Below 2^-6 the last bit is worth 2^-9: adding 2^14 (whose last bit is, too) rounds there.
  const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(limited) + 0x1p14F) - 0x46800000U;
  const auto normal = (limited - 0x3c000000U + 0x7ffffU + ((limited >> 20) & 1U)) >> 20;
  return static_cast<std::uint8_t>(sign | (magnitude > 0x7f800000U ? 0x7fU : limited < 0x3c800000U ? small : normal));
}

float from_e4m3(std::uint8_t code) {
  const int exponent = code >> 3 & 15, fraction = code & 7;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                              : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  if ((code & 0x7f) == 0x7f) value = std::numeric_limits<float>::quiet_NaN();
  return (code & 0x80) != 0 ? -value : value;
}

}  // namespace

void fp8_encode_reference(const std::uint16_t* rows, std::size_t count, std::uint8_t* codes) {
  for (std::size_t i = 0; i < count; ++i) codes[i] = to_e4m3(widened(rows[i]));
}
void fp8_decode_reference(const std::uint8_t* codes, std::size_t count, std::uint16_t* rows) {
  for (std::size_t i = 0; i < count; ++i) rows[i] = narrowed(from_e4m3(codes[i]));
}

}  // namespace kvantage::gpu
