// Attention of decode over heads of any lengths, shared out so that threads have equal work whatever the lengths are.
#pragma once

#include <span>

#include "core/kv/kv_cache.h"
#include "core/model/kernels/kernels.h"

namespace kvantage {

/// All query heads of one KV head of one sequence.
struct HeadAttention {
  KvRows rows;
  const float* queries = nullptr;  // [group, head_dim], multiplied by query_scale(head_dim)
  float* output = nullptr;         // [group, head_dim]
  // Of the cache that the rows are of, where some of them are coded: each piece decodes its own.
  const KvCache* coded = nullptr;
  int layer = 0, kv_head = 0;
};

/// Rows that are one piece of work. A head of more is split (split-KV; Dao et al. 2023, Flash-Decoding), always at the
/// same rows, so that no bit depends on how many threads there are or on what is attended beside it.
inline constexpr int split_rows = 2048;

/// Fills every output; the pieces run on the compute threads where there are enough bytes for more than one. `type`:
/// what is multiplied in, DecodeAttention::type.
void attend_heads(const Kernels& kernel, std::span<const HeadAttention> heads, int head_dim, int group, Element type);

}  // namespace kvantage
