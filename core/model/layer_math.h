// Operations between the matrix products that prefill and decoding share; internal to core/model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

/// Adds the outputs of attention or of an MLP to the residual stream: [rows, hidden] of `type` with the bias, or null,
/// as the architecture wants it (a norm of the outputs, a multiplier).
void add_outputs(const Transformer::Impl& model, float* residual, const void* outputs, Element type, const float* bias,
                 const std::vector<float>& output_norm, int rows);

/// RMSNorm over all heads of a token at once, in place: [rows, width] of `type`, after adding the bias, or null.
void norm_whole_rows(const Transformer::Impl& model, void* values, Element type, const float* bias,
                     const std::vector<float>& weight, int rows);

/// The MLP's function, where it has no gate: [count] in place.
void activate_rows(const Transformer::Impl& model, void* values, std::size_t count, Element type);
/// The MLP's gate into `gate`.
void gate_rows(const Transformer::Impl& model, void* gate, const void* up, std::size_t count, Element type);

/// Queries [tokens, heads, head_dim] into [heads, kept, head_dim], the first token's as row `first` of each head.
void store_by_head(const ModelConfig& config, std::span<const float> queries, int first, int kept, float* target);

/// The first row that each query at `positions` sees in a layer whose queries see `window` tokens: [kv_heads][queries].
/// window 0: empty, all see all.
std::vector<std::vector<std::int32_t>> window_begins(const KvCache& cache, int layer, int window,
                                                     std::span<const std::int32_t> positions);

/// Rows to drop from a layer whose queries see `window` tokens (0: none): those from position `first` on that no query
/// at `next` or later sees. What was in the cache before stays, so that truncate() restores it.
struct DroppedRows {
  int window = 0;
  std::int32_t first = 0, next = 0;
  bool gather = false;  // leave no holes, if there is memory
};
/// Errors as KvCache::evict().
Status drop_past_window(KvCache& cache, int layer, const DroppedRows& rows);

}  // namespace kvantage::inline model
