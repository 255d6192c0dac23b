// Access to single rows of a head as numbers, for code that reads few of them; attention has its own kernels.
#pragma once

#include <bit>
#include <cstring>
#include <span>

#include "core/kv/kv_cache.h"

namespace kvantage::inline kv {

/// Element `index` of a row of `type` as fp32.
inline float element_of(const std::byte* row, KvType type, std::size_t index) {
  if (type == KvType::fp32) {
    float number;
    std::memcpy(&number, row + index * sizeof number, sizeof number);
    return number;
  }
  std::uint16_t upper;  // bf16 is the upper half of a float
  std::memcpy(&upper, row + index * sizeof upper, sizeof upper);
  return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16);
}

/// Address of the key of the i-th kept token of a head.
inline const std::byte* key_row(const HeadView& head, const KvShape& shape, std::size_t token) {
  const auto slot = static_cast<std::size_t>(head.slot(token)),
             block = static_cast<std::size_t>(head.pool->block_tokens());
  return head.pool->keys(head.blocks[slot / block]) +
         slot % block * static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type);
}

/// The same as floats: fills `row` [head_dim].
inline void read_key(const HeadView& head, const KvShape& shape, std::size_t token, std::span<float> row) {
  const std::byte* bytes = key_row(head, shape, token);
  for (std::size_t d = 0; d < row.size(); ++d) row[d] = element_of(bytes, shape.type, d);
}

}  // namespace kvantage::inline kv
