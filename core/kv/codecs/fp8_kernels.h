// e4m3's arithmetic on plain elements, one table per instruction set; all tables give identical bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/kv/codecs/elements.h"
#include "core/model/kernels/isa.h"

namespace kvantage::inline codecs {

struct Fp8Kernels {
  /// codes[i] = element i of `data`, to nearest, ties to even; saturates at 448, NaN stays NaN. Unaligned.
  void (*encode)(const std::byte* data, std::size_t count, std::byte* codes);
  /// Element i of `data` = codes[i], exactly. Unaligned.
  void (*decode)(const std::byte* codes, std::size_t count, std::byte* data);
};

/// The table for elements in bf16 or fp32.
const Fp8Kernels& fp8_kernels(bool is_bf16, Isa isa);

/// fp32 to e4m3 (no infinities, maximum 448), to nearest, ties to even; saturates; NaN stays NaN.
__attribute__((always_inline)) inline std::uint8_t to_e4m3(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = (bits >> 24) & 0x80U;
  const auto magnitude = bits & 0x7fffffffU;
  const auto limited = std::min(magnitude, 0x43e00000U);  // 448
  // Below 2^-6 the last bit is worth 2^-9: adding 2^14 (whose last bit is, too) rounds there.
  const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(limited) + 0x1p14F) - 0x46800000U;
  const auto normal = (limited - 0x3c000000U + 0x7ffffU + ((limited >> 20) & 1U)) >> 20;
  const auto code = magnitude > 0x7f800000U ? 0x7fU : limited < 0x3c800000U ? small : normal;
  return static_cast<std::uint8_t>(sign | code);
}

}  // namespace kvantage::inline codecs
