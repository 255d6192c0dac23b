// Column sums of the full attention matrix of a context, computed in blocks of queries: the input of observed-attention
// scorers, which no fused kernel keeps. Only one block of the matrix is in memory at a time.
#pragma once

#include <cstdint>
#include <functional>

#include "core/compress/scorers/scorer.h"

namespace kvantage::inline scorers {

/// Calls block(first, attention) for blocks of queries [first, first + rows) of the context, in order, with attention
/// [group, rows, first + rows], softmax(Q K^T / sqrt(d) + causal). Covers the last `queries.size(1)` tokens. queries
/// [group, window, head_dim] of the last tokens, keys [tokens, head_dim].
void for_attention_blocks(const at::Tensor& queries, const at::Tensor& keys,
                          const std::function<void(std::int64_t first, const at::Tensor& attention)>& block);

inline constexpr std::size_t attention_block_rows = 256;

/// Bytes of one such block for all query heads of a KV head.
inline std::size_t attention_block_bytes(std::int64_t tokens, std::int64_t group) {
  return attention_block_rows * static_cast<std::size_t>(tokens * group) * sizeof(float);
}

}  // namespace kvantage::inline scorers
