// Operations between the matrix products that prefill and decoding share; internal to core/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

/// Addresses of one head's rows, for the kernels; valid until the cache changes. Encoded rows precede the others in
/// blocks without an address until decode() is called for them.
struct HeadRows {
  std::vector<const std::byte*> keys, values;
  KvRows rows(const KvCache& cache, int layer, int kv_head, Element element);
  /// Those of `rows`, the latest of rows(), whose tokens are at `position` or later. The cache has no encoded rows.
  KvRows from(const KvCache& cache, int layer, int kv_head, KvRows rows, std::int32_t position);
  /// Decodes the encoded rows among [first, last) into memory of this object; `first` is a multiple of the pool's
  /// block. Returns the addresses including theirs, valid until the next call; those of other encoded rows must not be
  /// read.
  KvRows decode(const KvCache& cache, int layer, int kv_head, KvRows rows, int first, int last);

 private:
  std::vector<std::int32_t> slots_;
  std::vector<std::byte> decoded_keys_, decoded_values_;
};

/// Index of the first row of a head whose token is at `position` or later.
int first_row_from(const HeadView& head, std::int32_t position);

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

}  // namespace kvantage::inline model
