#include "gpu/kernels/probe.h"

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {
namespace {

__global__ void probe_product(const std::uint16_t* a, const std::uint16_t* b, float* out) {
  KV_DYNAMIC_SHARED(shared);
  auto* left = reinterpret_cast<std::uint16_t*>(shared);
  std::uint16_t* right = left + 16 * 16;
  const int lane = static_cast<int>(threadIdx.x);
  copy_async(left + lane * 8, a + lane * 8);
  copy_async(right + lane * 8, b + lane * 8, lane < 16);
  copy_async_commit();
  copy_async_wait<0>();
  __syncwarp();
  std::uint32_t of_a[4], of_b[4];
  load_tiles(of_a, left + (lane % 16) * 16 + lane / 16 * 8);  // rows 0 to 15 of columns 0 to 7, then of 8 to 15
  load_tiles_transposed(of_b, right + (lane % 16) * 8);       // two tiles; the others are read again
  float sums[4] = {0, 0, 0, 0};
  const std::uint32_t b_fragment[2] = {of_b[0], of_b[1]};
  mma_bf16(sums, of_a, b_fragment);
  const int group = lane / 4, t = lane % 4;
  out[group * 8 + 2 * t] = sums[0];
  out[group * 8 + 2 * t + 1] = sums[1];
  out[(group + 8) * 8 + 2 * t] = sums[2];
  out[(group + 8) * 8 + 2 * t + 1] = sums[3];
}

__global__ void probe_sums(int* out) {
  KV_SHARED int of_block;
  const int mine = static_cast<int>(blockIdx.x * 1000 + threadIdx.x);
  int sum = mine;
  for (unsigned other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, other);
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&of_block, sum);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + of_block;
}

}  // namespace

std::uint16_t probe_bf16(float number) { return narrowed(number); }
float probe_float(std::uint16_t bf16) { return widened(bf16); }

Status launch_probe_product(const std::uint16_t* a, const std::uint16_t* b, float* out, Stream stream) {
  KV_LAUNCH(probe_product, dim3(1), dim3(32), (16 * 16 + 32 * 8) * sizeof(std::uint16_t), stream, a, b, out);
  return launched("probe_product");
}
Status launch_probe_sums(int* out, int blocks, int threads, Stream stream) {
  KV_LAUNCH(probe_sums, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)), 0, stream, out);
  return launched("probe_sums");
}

}  // namespace kvantage::gpu
