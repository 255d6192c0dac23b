// CUDA's execution model on a CPU, for builds without nvcc and for tests: every thread of a block is a fiber, blocks
// run sequentially. Undefined behavior on a GPU, such as a barrier or warp exchange that some threads never reach,
// terminates the program with a message. Bytes of copy_async() arrive only once they are waited for.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define KV_SHARED static  // blocks run sequentially, so static memory belongs to one block at a time
#define KV_DYNAMIC_SHARED(name) unsigned char* const name = ::kvantage::emulation::dynamic_shared()
#define KV_ALLOW_SHARED(kernel, bytes) (static_cast<void>(bytes), ::kvantage::Status())
#define KV_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  (static_cast<void>(stream),                                     \
   ::kvantage::emulation::launch((grid), (block), (shared_bytes), [&] { kernel(__VA_ARGS__); }))

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};

namespace kvantage::emulation {

/// Runs `body` once per thread of the grid.
void launch(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body);
unsigned char* dynamic_shared();

const dim3& thread_index();
const dim3& block_index();
const dim3& block_extent();
const dim3& grid_extent();

/// Barrier for all threads of the block.
void barrier();
/// Each lane of `mask` publishes `bytes` bytes (at most 64); into[lane] receives all of them: 64 bytes per lane.
using Lanes = unsigned char[32][64];
const Lanes& exchange(std::uint32_t mask, const void* value, std::size_t bytes);
unsigned lane();

void copy_later(void* to, const void* from, std::size_t bytes, bool there);
void close_group();
void wait_for_groups(int but);
[[noreturn]] void undefined(const char* what);

template <class T>
T from_lane(const Lanes& lanes, unsigned lane) {
  T value;
  std::memcpy(&value, lanes[lane], sizeof(T));
  return value;
}

}  // namespace kvantage::emulation

#define threadIdx (::kvantage::emulation::thread_index())
#define blockIdx (::kvantage::emulation::block_index())
#define blockDim (::kvantage::emulation::block_extent())
#define gridDim (::kvantage::emulation::grid_extent())

inline void __syncthreads() { kvantage::emulation::barrier(); }
inline void __syncwarp(std::uint32_t mask = 0xffffffffU) {
  const int nothing = 0;
  (void)kvantage::emulation::exchange(mask, &nothing, sizeof(nothing));
}
template <class T>
T __shfl_sync(std::uint32_t mask, T value, unsigned from, unsigned width = 32) {
  const unsigned lane = kvantage::emulation::lane();
  return kvantage::emulation::from_lane<T>(kvantage::emulation::exchange(mask, &value, sizeof(T)),
                                           lane / width * width + from % width);
}
template <class T>
T __shfl_xor_sync(std::uint32_t mask, T value, unsigned other, unsigned width = 32) {
  const unsigned lane = kvantage::emulation::lane(), from = lane ^ other;
  const auto& lanes = kvantage::emulation::exchange(mask, &value, sizeof(T));
  return from / width > lane / width ? value : kvantage::emulation::from_lane<T>(lanes, from);
}
template <class T>
T __shfl_down_sync(std::uint32_t mask, T value, unsigned by, unsigned width = 32) {
  const unsigned lane = kvantage::emulation::lane();
  const auto& lanes = kvantage::emulation::exchange(mask, &value, sizeof(T));
  return lane % width + by >= width ? value : kvantage::emulation::from_lane<T>(lanes, lane + by);
}
template <class T>
T __shfl_up_sync(std::uint32_t mask, T value, unsigned by, unsigned width = 32) {
  const unsigned lane = kvantage::emulation::lane();
  const auto& lanes = kvantage::emulation::exchange(mask, &value, sizeof(T));
  return lane % width < by ? value : kvantage::emulation::from_lane<T>(lanes, lane - by);
}
inline unsigned __ballot_sync(std::uint32_t mask, int holds) {
  const auto& lanes = kvantage::emulation::exchange(mask, &holds, sizeof(holds));
  unsigned bits = 0;
  for (unsigned l = 0; l < 32; ++l)
    if ((mask >> l & 1U) != 0 && kvantage::emulation::from_lane<int>(lanes, l) != 0) bits |= 1U << l;
  return bits;
}
inline int __any_sync(std::uint32_t mask, int holds) { return __ballot_sync(mask, holds) != 0; }
inline int __all_sync(std::uint32_t mask, int holds) { return __ballot_sync(mask, holds) == mask; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
template <class T>
T __ldg(const T* address) {
  return *address;
}
/// Fibers switch only at barriers, so plain arithmetic is atomic.
template <class T>
T atomicAdd(T* at, T by) {
  const T before = *at;
  *at = before + by;
  return before;
}
template <class T>
T atomicMax(T* at, T other) {
  const T before = *at;
  if (other > before) *at = other;
  return before;
}
inline void __threadfence() {}
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline int __float_as_int(float x) {
  int bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
inline float __int_as_float(int bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
inline float __expf(float x) { return std::exp(x); }
inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline float __fdividef(float a, float b) { return a / b; }
// Rounded separately, never contracted, as with nvcc.
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __frcp_rn(float a) { return 1.0F / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline int __float2int_rn(float a) { return static_cast<int>(std::nearbyint(a)); }

namespace kvantage::gpu {

void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);
void load_tiles(std::uint32_t (&r)[4], const void* row);
void load_tiles_transposed(std::uint32_t (&r)[4], const void* row);
inline void copy_async(void* shared, const void* global, bool there = true) {
  emulation::copy_later(shared, global, 16, there);
}
inline void copy_async_commit() { emulation::close_group(); }
template <int Groups>
void copy_async_wait() {
  emulation::wait_for_groups(Groups);
}

}  // namespace kvantage::gpu
