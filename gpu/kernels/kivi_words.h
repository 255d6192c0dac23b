// Shared by the KIVI kernels: eight channels at a time, 16 bytes unquantized.
#pragma once

#include "gpu/kernels/half_words.h"
#include "gpu/kernels/kivi.h"

namespace kvantage::gpu {

constexpr unsigned kivi_threads = 128;
constexpr int values_rows = 4;  // per thread, all loaded before the first is used

/// Keys: whole groups of tokens, two for narrow heads, so that the 128 threads have one column each.
inline int kivi_groups_per_block(int head_dim) { return head_dim >= 128 ? 1 : 128 / head_dim; }
/// Values: rows processed at a time; their octets are `head_dim / 8` adjacent lanes.
__host__ __device__ inline int kivi_rows_at_once(int head_dim) {
  return static_cast<int>(kivi_threads) / (head_dim / 8);
}

/// core's format aligns parts only to multiples of 4: stores 16 bytes if aligned, else by fours.
__device__ __forceinline__ void store_16(unsigned char* to, const uint4& held) {
  if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
    *reinterpret_cast<uint4*>(to) = held;
    return;
  }
  auto* words = reinterpret_cast<std::uint32_t*>(to);
  words[0] = held.x, words[1] = held.y, words[2] = held.z, words[3] = held.w;
}
__device__ __forceinline__ uint4 load_16(const unsigned char* from) {
  if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) return *reinterpret_cast<const uint4*>(from);
  const auto* words = reinterpret_cast<const std::uint32_t*>(from);
  uint4 held;
  held.x = words[0], held.y = words[1], held.z = words[2], held.w = words[3];
  return held;
}

/// Values of a group: finite numbers within the range of fp16 and bf16.
__device__ __forceinline__ float sane(float number) {
  const float known = number == number ? number : 0.0F;
  const float below = known < 65280.0F ? known : 65280.0F;
  return below > -65280.0F ? below : -65280.0F;
}
__device__ __forceinline__ void sane_octet(float (&numbers)[8], const uint4& held) {
  const std::uint32_t pairs[4] = {held.x, held.y, held.z, held.w};
  for (int i = 0; i < 4; ++i) {
    numbers[2 * i] = sane(as_float(pairs[i] << 16));
    numbers[2 * i + 1] = sane(as_float(pairs[i] & 0xffff0000U));
  }
}

struct KiviGroup {
  std::uint16_t scale, minimum;  // fp16, as stored
  float low, inverse;  // quantization parameters: the minimum as decoded, and 1 / step, or 0 for a constant group
};
/// Each operation is rounded separately: a fused multiply-add would give other bytes than the CPU's.
__device__ __forceinline__ KiviGroup kivi_group(float least, float most, int bits) {
  KiviGroup group;
  group.minimum =
      to_half_below(__fadd_rn(least, 0.0F));  // no negative zero: which zero comes first depends on the order
  group.low = from_half(group.minimum);
  group.scale = to_half(__fdiv_rn(__fsub_rn(__fadd_rn(most, 0.0F), group.low), static_cast<float>((1 << bits) - 1)));
  const float step = from_half(group.scale);
  group.inverse = step > 0 ? __fdiv_rn(1.0F, step) : 0.0F;
  return group;
}

template <int Bits>
__device__ __forceinline__ std::uint32_t kivi_code(float number, float low, float inverse) {
  // Adding 2^23 rounds to an integer, to nearest, ties to even, and leaves it in the low bits.
  const std::uint32_t code = as_bits(__fadd_rn(__fmul_rn(__fsub_rn(number, low), inverse), 0x1p23F)) - 0x4b000000U;
  return code < (1U << Bits) - 1U ? code : (1U << Bits) - 1U;
}

/// The quantized values of eight channels: 8, 4 or 2 bytes, at a multiple of 4 (of 2).
template <int Bits>
struct KiviOctet {
  std::uint32_t words[2] = {0, 0};

  __device__ void set(int i, std::uint32_t code) { words[i * Bits / 32] |= code << (i * Bits % 32); }
  __device__ std::uint32_t get(int i) const { return words[i * Bits / 32] >> (i * Bits % 32) & ((1U << Bits) - 1U); }
  __device__ void store(unsigned char* to) const {
    if constexpr (Bits == 2)
      *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(words[0]);
    else
      for (int w = 0; w < Bits / 4; ++w) reinterpret_cast<std::uint32_t*>(to)[w] = words[w];
  }
  __device__ void load(const unsigned char* from) {
    if constexpr (Bits == 2)
      words[0] = *reinterpret_cast<const std::uint16_t*>(from);
    else
      for (int w = 0; w < Bits / 4; ++w) words[w] = reinterpret_cast<const std::uint32_t*>(from)[w];
  }
};

}  // namespace kvantage::gpu
