// Unaligned row elements as floats, for either type; and fp16.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/model/kernels/kernels.h"

namespace kvantage::inline codecs {

inline std::uint16_t load_u16(const std::byte* at) {
  std::uint16_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store_u16(std::byte* at, std::uint16_t value) { std::memcpy(at, &value, sizeof value); }

/// T: Bf16 or float.
template <class T>
inline float load_element(const std::byte* rows, std::size_t index) {
  T element{};
  std::memcpy(&element, rows + index * sizeof(T), sizeof(T));
  return to_float(element);
}
inline void store_element(std::byte* rows, std::size_t index, float value, Bf16) {
  store_u16(rows + index * sizeof(Bf16), to_bf16(value).bits);
}
inline void store_element(std::byte* rows, std::size_t index, float value, float) {
  std::memcpy(rows + index * sizeof(float), &value, sizeof value);
}
template <class T>
inline void store_element(std::byte* rows, std::size_t index, float value) {
  store_element(rows, index, value, T{});
}

/// Calls `body` with a Bf16 or a float, matching the type of the rows.
template <class Body>
decltype(auto) with_element(bool is_bf16, Body&& body) {
  return is_bf16 ? body(Bf16{}) : body(float{});
}

/// fp16 to fp32, exact.
inline float from_half(std::uint16_t half) {
  const auto magnitude = static_cast<std::uint32_t>(half & 0x7fffU);
  const auto sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  // Exponent 31 (infinity, NaN) becomes 255; all others, including subnormals, are multiplied by 2^112.
  const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const auto bits = magnitude >= 0x7c00U ? (0x7f800000U | (magnitude << 13)) : std::bit_cast<std::uint32_t>(finite);
  return std::bit_cast<float>(bits | sign);
}

/// fp32 of magnitude at most 65504 to fp16, to nearest, ties to even. No NaN.
inline std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = (bits >> 16) & 0x8000U;
  const auto magnitude = bits & 0x7fffffffU;
  // Below 2^-14 the last bit is worth 2^-24: adding 0.5 (whose last bit is, too) rounds there.
  const auto small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  const auto normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  return static_cast<std::uint16_t>(sign | (magnitude < 0x38800000U ? small : normal));
}

/// As to_half, but rounded down: the largest fp16 number not above `value`.
inline std::uint16_t to_half_below(float value) {
  const std::uint16_t nearest = to_half(value);
  if (!(from_half(nearest) > value)) return nearest;
  // One step toward minus infinity; from zero that is the smallest negative number.
  const bool negative = (nearest & 0x8000U) != 0;
  if ((nearest & 0x7fffU) == 0) return 0x8001U;
  return static_cast<std::uint16_t>(negative ? nearest + 1 : nearest - 1);
}

}  // namespace kvantage::inline codecs
