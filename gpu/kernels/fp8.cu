#include "gpu/kernels/fp8.h"

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {
namespace {

constexpr unsigned threads = 128;
constexpr unsigned pieces = 4;  // of 8 elements per thread: four loads in flight before the first is used
constexpr unsigned per_block = threads * pieces * 8;

/// Integer arithmetic only: neither compiler flags nor a device's handling of subnormals can change a byte.
__device__ __forceinline__ std::uint32_t to_e4m3(std::uint32_t bf16) {
  const std::uint32_t magnitude = bf16 & 0x7fffU, sign = bf16 >> 8 & 0x80U;
  const std::uint32_t limited = magnitude < 0x43e0U ? magnitude : 0x43e0U;  // 448
  // 2^-6 and above: rebias the exponent, and drop four bits of the fraction.
  const std::uint32_t normal = (limited - 0x3c00U + 7U + (limited >> 4 & 1U)) >> 4;
  // Below, the last bit is worth 2^-9: shift the significand, whose last bit is worth 2^(exponent - 134). bf16's own
  // subnormals have no leading 1, but are shifted out entirely.
  const std::uint32_t exponent = limited >> 7, significand = 0x80U | (limited & 0x7fU);
  const std::uint32_t shift = exponent >= 120U ? 5U : exponent <= 115U ? 10U : 125U - exponent;
  const std::uint32_t small = (significand + (1U << (shift - 1)) - 1U + (significand >> shift & 1U)) >> shift;
  return sign | (magnitude > 0x7f80U ? 0x7fU : limited < 0x3c80U ? small : normal);
}

__device__ __forceinline__ std::uint32_t from_e4m3(std::uint32_t code) {
  const std::uint32_t magnitude = code & 0x7fU, sign = (code & 0x80U) << 8;
  if (magnitude == 0x7fU) return sign | 0x7fc0U;
  if (magnitude >= 8U) return sign | ((magnitude << 4) + 0x3c00U);
  if (magnitude == 0U) return sign;
  const auto top = static_cast<std::uint32_t>(31 - __clz(static_cast<int>(magnitude)));  // subnormal in e4m3, normal in
                                                                                         // bf16
  return sign | (118U + top) << 7 | (magnitude << (7U - top) & 0x7fU);
}

__device__ __forceinline__ std::uint32_t two_codes(std::uint32_t pair) {
  return to_e4m3(pair & 0xffffU) | to_e4m3(pair >> 16) << 8;
}
__device__ __forceinline__ std::uint32_t two_numbers(std::uint32_t codes) {
  return from_e4m3(codes & 0xffU) | from_e4m3(codes >> 8 & 0xffU) << 16;
}

/// Memory-bound: 3 bytes per element, some twenty instructions. A warp reads 512 contiguous bytes and writes 256.
__global__ void __launch_bounds__(threads)
    fp8_encode(const std::uint16_t* __restrict__ rows, std::size_t count, std::uint8_t* __restrict__ codes) {
  const std::size_t begin = std::size_t{blockIdx.x} * per_block + std::size_t{threadIdx.x} * 8;
  uint4 held[pieces];
#pragma unroll  // keeps the array in registers
  for (unsigned p = 0; p < pieces; ++p) {
    const std::size_t at = begin + std::size_t{p} * threads * 8;
    if (at + 8 <= count) held[p] = *reinterpret_cast<const uint4*>(rows + at);
  }
#pragma unroll  // keeps the array in registers
  for (unsigned p = 0; p < pieces; ++p) {
    const std::size_t at = begin + std::size_t{p} * threads * 8;
    if (at + 8 <= count) {
      uint2 out;
      out.x = two_codes(held[p].x) | two_codes(held[p].y) << 16;
      out.y = two_codes(held[p].z) | two_codes(held[p].w) << 16;
      *reinterpret_cast<uint2*>(codes + at) = out;
    } else {
      for (std::size_t i = at; i < count; ++i) codes[i] = static_cast<std::uint8_t>(to_e4m3(rows[i]));
    }
  }
}

__global__ void __launch_bounds__(threads)
    fp8_decode(const std::uint8_t* __restrict__ codes, std::size_t count, std::uint16_t* __restrict__ rows) {
  const std::size_t begin = std::size_t{blockIdx.x} * per_block + std::size_t{threadIdx.x} * 8;
  uint2 held[pieces];
#pragma unroll  // keeps the array in registers
  for (unsigned p = 0; p < pieces; ++p) {
    const std::size_t at = begin + std::size_t{p} * threads * 8;
    if (at + 8 <= count) held[p] = *reinterpret_cast<const uint2*>(codes + at);
  }
#pragma unroll  // keeps the array in registers
  for (unsigned p = 0; p < pieces; ++p) {
    const std::size_t at = begin + std::size_t{p} * threads * 8;
    if (at + 8 <= count) {
      uint4 out;
      out.x = two_numbers(held[p].x);
      out.y = two_numbers(held[p].x >> 16);
      out.z = two_numbers(held[p].y);
      out.w = two_numbers(held[p].y >> 16);
      *reinterpret_cast<uint4*>(rows + at) = out;
    } else {
      for (std::size_t i = at; i < count; ++i) rows[i] = static_cast<std::uint16_t>(from_e4m3(codes[i]));
    }
  }
}

dim3 grid_of(std::size_t count) { return dim3(static_cast<unsigned>((count + per_block - 1) / per_block)); }

}  // namespace

Status launch_fp8_encode(const std::uint16_t* rows, std::size_t count, std::uint8_t* codes, Stream stream) {
  if (count == 0) return {};
  KV_LAUNCH(fp8_encode, grid_of(count), dim3(threads), 0, stream, rows, count, codes);
  return launched("fp8_encode");
}
Status launch_fp8_decode(const std::uint8_t* codes, std::size_t count, std::uint16_t* rows, Stream stream) {
  if (count == 0) return {};
  KV_LAUNCH(fp8_decode, grid_of(count), dim3(threads), 0, stream, codes, count, rows);
  return launched("fp8_decode");
}

}  // namespace kvantage::gpu
