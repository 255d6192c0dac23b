// Primitives for fp16 and packed bf16: one instruction on a GPU, integers in the emulation.
#pragma once

#include <cstdint>

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {

__host__ __device__ inline float as_float(std::uint32_t bits) {
  float number;
  __builtin_memcpy(&number, &bits, sizeof(number));
  return number;
}
__host__ __device__ inline std::uint32_t as_bits(float number) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/// fp16 to fp32, exact; subnormals too.
__device__ __forceinline__ float from_half(std::uint16_t half) {
#ifdef __CUDA_ARCH__
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(half));
  return number;
#else
  const std::uint32_t magnitude = half & 0x7fffU, sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  if (magnitude >= 0x7c00U) return as_float(sign | 0x7f800000U | magnitude << 13);
  const float number =
      magnitude < 0x400U ? static_cast<float>(magnitude) * 0x1p-24F : as_float((magnitude << 13) + 0x38000000U);
  return as_float(as_bits(number) | sign);
#endif
}

/// fp32 of magnitude at most 65504 to fp16, to nearest, ties to even. No NaN.
__device__ __forceinline__ std::uint16_t to_half(float number) {
#ifdef __CUDA_ARCH__
  std::uint16_t half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(number));
  return half;
#else
  const std::uint32_t bits = as_bits(number), sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7fffffffU;
  // Below 2^-14 the last bit is worth 2^-24: adding 0.5 (whose last bit is, too) rounds there.
  const std::uint32_t small = as_bits(__fadd_rn(as_float(magnitude), 0.5F)) - 0x3f000000U;
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
  return static_cast<std::uint16_t>(sign | (magnitude < 0x38800000U ? small : normal));
#endif
}

/// As to_half, but rounded down.
__device__ __forceinline__ std::uint16_t to_half_below(float number) {
#ifdef __CUDA_ARCH__
  std::uint16_t half;
  asm("cvt.rm.f16.f32 %0, %1;" : "=h"(half) : "f"(number));
  return half;
#else
  const std::uint16_t nearest = to_half(number);
  if (!(from_half(nearest) > number)) return nearest;
  if ((nearest & 0x7fffU) == 0) return 0x8001U;  // from zero, the smallest negative number
  return static_cast<std::uint16_t>((nearest & 0x8000U) != 0 ? nearest + 1 : nearest - 1);
#endif
}

/// Of two pairs of bf16 each, the lesser and the greater; NaN if either is. Zeros of both signs: either.
__device__ __forceinline__ std::uint32_t lesser_pair(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  std::uint32_t pair;
  asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(a), "r"(b));
  return pair;
#else
  std::uint32_t pair = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const float x = widened(static_cast<std::uint16_t>(a >> shift)),
                y = widened(static_cast<std::uint16_t>(b >> shift));
    pair |= std::uint32_t{x != x || y != y ? std::uint16_t{0x7fff} : narrowed(y < x ? y : x)} << shift;
  }
  return pair;
#endif
}
__device__ __forceinline__ std::uint32_t greater_pair(std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  std::uint32_t pair;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(a), "r"(b));
  return pair;
#else
  return lesser_pair(a ^ 0x80008000U, b ^ 0x80008000U) ^ 0x80008000U;
#endif
}

/// packed() for numbers that are not NaN.
__device__ __forceinline__ std::uint32_t packed_numbers(float low, float high) {
#ifdef __CUDA_ARCH__
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return packed(low, high);
#endif
}

}  // namespace kvantage::gpu
