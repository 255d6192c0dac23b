#include "gpu/kv_gather.h"

#include <cstring>
#include <string>

#include "gpu/gather_check.h"

namespace kvantage::gpu {

Status gather_rows_cpu(const GatherShape& shape, std::span<const std::byte> source, std::span<const std::int32_t> kept,
                       std::span<std::byte> target) {
  KV_TRY(check_gather(shape, source, kept, target));
  const auto tokens = static_cast<std::size_t>(shape.tokens);
  const auto per_head = static_cast<std::size_t>(shape.kept);
  for (std::size_t head = 0; head < static_cast<std::size_t>(shape.heads); ++head) {
    for (std::size_t row = 0; row < per_head; ++row) {
      const auto token = static_cast<std::size_t>(kept[head * per_head + row]);
      std::memcpy(target.data() + (head * per_head + row) * shape.row_bytes,
                  source.data() + (head * tokens + token) * shape.row_bytes, shape.row_bytes);
    }
  }
  return {};
}

#ifndef KVANTAGE_CUDA
bool cuda_available() { return false; }

Status gather_rows_cuda(const GatherShape&, std::span<const std::byte>, std::span<const std::int32_t>,
                        std::span<std::byte>) {
  return fail(ErrorCode::not_found, "CUDA: this build has no CUDA code (nvcc was not found); the CPU gathers instead");
}
#endif

}  // namespace kvantage::gpu
