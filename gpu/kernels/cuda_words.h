// The primitives of the kernels here. nvcc maps them to CUDA. Without nvcc the emulation (gpu/kernels/emulation.h) runs
// the same source on the CPU, thread by thread, including grids, shared memory, barriers, warps and fragments.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_runtime.h>

/// kernel<<<...>>>(...): grid and block as dim3, bytes of dynamic shared memory, stream.
#define KV_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
  kernel<<<(grid), (block), (shared_bytes), static_cast<cudaStream_t>(stream)>>>(__VA_ARGS__)
/// A static shared-memory array of a block.
#define KV_SHARED __shared__
/// `name`: the block's dynamic shared memory, aligned to 16 bytes.
#define KV_DYNAMIC_SHARED(name)                               \
  extern __shared__ __align__(16) unsigned char name##_raw[]; \
  unsigned char* const name = name##_raw

/// Allows a kernel that much dynamic shared memory, which requires opt-in beyond 48 KiB. A Status, from cuda_check.h.
#define KV_ALLOW_SHARED(kernel, bytes)                                                                      \
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), \
        "shared memory for a kernel")

namespace kvantage::gpu {

/// d[16, 8] += a[16, 16] * b[16, 8], bf16 to fp32, per warp; fragments as in PTX mma.sync.m16n8k16: for lane l, group g
/// = l / 4 and t = l % 4, a holds (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8), b holds (2t, g), (2t + 8, g),
/// each with its right or lower neighbor in the upper half, d holds (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
__device__ __forceinline__ void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Loads four 8 x 8 tiles of 16-bit numbers from shared memory: lane l gives the address of row l % 8 of tile l / 8 (16
/// bytes, aligned); r[i] of lane l is (row l / 4, columns 2 (l % 4) and the next) of tile i. transposed: of the tile's
/// transpose.
__device__ __forceinline__ void load_tiles(std::uint32_t (&r)[4], const void* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_tiles_transposed(std::uint32_t (&r)[4], const void* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

/// Copies 16 bytes from device to shared memory, both aligned to 16, bypassing registers: available after waiting for
/// its group and a block barrier. If `there` is false, writes zeros and reads nothing.
__device__ __forceinline__ void copy_async(void* shared, const void* global, bool there = true) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(address), "l"(global), "r"(there ? 16 : 0)
               : "memory");
}
__device__ __forceinline__ void copy_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
/// Waits for all but the newest `Groups` groups of this thread.
template <int Groups>
__device__ __forceinline__ void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Groups) : "memory");
}

}  // namespace kvantage::gpu
#else
#include "gpu/kernels/emulation.h"
#endif

namespace kvantage::gpu {

__host__ __device__ inline float widened(std::uint16_t bf16) {
  const std::uint32_t bits = static_cast<std::uint32_t>(bf16) << 16;
  float number;
  __builtin_memcpy(&number, &bits, sizeof(number));
  return number;
}
/// To nearest bf16, ties to even; NaN stays NaN.
__host__ __device__ inline std::uint16_t narrowed(float number) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &number, sizeof(bits));
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}
/// Two numbers in one fragment register: the first in the lower half.
__host__ __device__ inline std::uint32_t packed(float low, float high) {
  return static_cast<std::uint32_t>(narrowed(high)) << 16 | narrowed(low);
}

}  // namespace kvantage::gpu
