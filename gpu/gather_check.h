// One check of arguments for the CPU and the CUDA gather.
#pragma once

#include <string>

#include "gpu/kv_gather.h"

namespace kvantage::gpu {

inline Status check_gather(const GatherShape& shape, std::span<const std::byte> source,
                           std::span<const std::int32_t> kept, std::span<const std::byte> target) {
  if (shape.heads < 0 || shape.tokens < 0 || shape.kept < 0)
    return fail(ErrorCode::rejected_input, "gather: a negative count; give counts of 0 or more");
  const auto heads = static_cast<std::size_t>(shape.heads);
  const auto kept_rows = heads * static_cast<std::size_t>(shape.kept);
  if (source.size() < heads * static_cast<std::size_t>(shape.tokens) * shape.row_bytes || kept.size() < kept_rows ||
      target.size() < kept_rows * shape.row_bytes)
    return fail(ErrorCode::rejected_input, "gather: a buffer is smaller than its shape says");
  for (std::size_t i = 0; i < kept_rows; ++i)
    if (kept[i] < 0 || kept[i] >= shape.tokens)
      return fail(ErrorCode::rejected_input, "gather: index " + std::to_string(kept[i]) + " lies outside the tokens");
  return {};
}

}  // namespace kvantage::gpu
