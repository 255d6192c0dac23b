// Decode attention over heads of any lengths, split so that threads have equal work.
#pragma once

#include <span>

#include "core/kv/kv_cache.h"
#include "core/model/kernels/kernels.h"

namespace kvantage::inline model {

/// All query heads of one KV head of one sequence.
struct HeadAttention {
  KvRows rows;
  const float* queries = nullptr;  // [group, head_dim], multiplied by query_scale(head_dim)
  float* output = nullptr;         // [group, head_dim]
  // The cache of the rows, if some of them are encoded: each piece decodes its own.
  const KvCache* encoded = nullptr;
  int layer = 0, kv_head = 0;
  const float* sinks = nullptr;  // [group], ScoreForm::sinks; null: none
};

/// Of all heads of a layer.
struct AttentionShape {
  int head_dim = 0;
  int group = 0;
  Element type = Element::fp32;  // of the products, DecodeAttention::type
  float cap = 0;                 // ScoreForm::cap
};

/// Rows per work item. Longer heads are split (split-KV; Dao et al. 2023, Flash-Decoding), always at the same rows, so
/// that results depend on neither the number of threads nor the batch.
inline constexpr int split_rows = 2048;

/// Fills every output; the pieces run on the compute threads if there are enough bytes for more than one.
void attend_heads(const Kernels& kernel, std::span<const HeadAttention> heads, const AttentionShape& shape);

}  // namespace kvantage::inline model
