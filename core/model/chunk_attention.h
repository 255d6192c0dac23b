// Attention of a prefill's chunk, split so that threads have equal work.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

/// Tokens whose keys and values are the last ones of the cache.
struct ChunkQueries {
  const void* queries = nullptr;            // [tokens, heads, head_dim] in the compute type, rotated and scaled
  void* output = nullptr;                   // the same, written
  std::span<const std::int32_t> positions;  // one a token
};

/// Of one layer: each query sees the rows of the cache before its own token, within the layer's window. Encoded rows
/// are decoded.
void attend_chunk(const Transformer::Impl& model, const KvCache& cache, int layer, const ChunkQueries& chunk);

}  // namespace kvantage::inline model
