// One warp copies one row in 16-byte pieces where size and alignment allow, else byte by byte.
#include <cuda_runtime.h>

#include <memory>
#include <string>

#include "gpu/gather_check.h"
#include "gpu/kv_gather.h"

namespace kvantage::gpu {
namespace {

__global__ void gather_rows(const unsigned char* source, const std::int32_t* kept, unsigned char* target, int heads,
                            int tokens, int kept_per_head, std::size_t row_bytes) {
  const long long warp = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  if (warp >= static_cast<long long>(heads) * kept_per_head) return;
  const long long head = warp / kept_per_head;
  const unsigned char* from = source + (head * tokens + kept[warp]) * row_bytes;
  unsigned char* to = target + warp * row_bytes;
  if (row_bytes % sizeof(uint4) == 0) {
    for (std::size_t i = lane; i < row_bytes / sizeof(uint4); i += 32)
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  } else {
    for (std::size_t i = lane; i < row_bytes; i += 32) to[i] = from[i];
  }
}

struct CudaFree {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, CudaFree>;

Status check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return {};
  return fail(ErrorCode::internal, std::string("CUDA: ") + what + " failed (" + cudaGetErrorString(code) + ")");
}

Status allocate(DeviceMemory& memory, std::size_t bytes) {
  void* pointer = nullptr;
  KV_TRY(check(cudaMalloc(&pointer, bytes == 0 ? 1 : bytes), "allocation"));
  memory.reset(pointer);
  return {};
}

}  // namespace

bool cuda_available() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

Status gather_rows_cuda(const GatherShape& shape, std::span<const std::byte> source,
                        std::span<const std::int32_t> kept, std::span<std::byte> target) {
  KV_TRY(check_gather(shape, source, kept, target));
  if (!cuda_available()) return fail(ErrorCode::not_found, "CUDA: no device answers; the CPU gathers instead");
  const std::size_t rows = static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.kept);
  if (rows == 0 || shape.row_bytes == 0) return {};
  DeviceMemory source_memory, kept_memory, target_memory;
  const std::size_t source_bytes = static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.tokens) * shape.row_bytes;
  KV_TRY(allocate(source_memory, source_bytes));
  KV_TRY(allocate(kept_memory, rows * sizeof(std::int32_t)));
  KV_TRY(allocate(target_memory, rows * shape.row_bytes));
  KV_TRY(check(cudaMemcpy(source_memory.get(), source.data(), source_bytes, cudaMemcpyHostToDevice), "copy to the device"));
  KV_TRY(check(cudaMemcpy(kept_memory.get(), kept.data(), rows * sizeof(std::int32_t), cudaMemcpyHostToDevice), "copy to the device"));
  constexpr int threads = 256;
  const auto blocks = static_cast<unsigned>((rows * 32 + threads - 1) / threads);
  gather_rows<<<blocks, threads>>>(static_cast<const unsigned char*>(source_memory.get()),
                                   static_cast<const std::int32_t*>(kept_memory.get()),
                                   static_cast<unsigned char*>(target_memory.get()), shape.heads, shape.tokens,
                                   shape.kept, shape.row_bytes);
  KV_TRY(check(cudaGetLastError(), "kernel launch"));
  return check(cudaMemcpy(target.data(), target_memory.get(), rows * shape.row_bytes, cudaMemcpyDeviceToHost), "copy from the device");
}

}  // namespace kvantage::gpu
