// Scorers by leverage: how much a token's key or value adds to what the others span. Rows: leverage.inl.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/text_form.h"
#include "core/compress/scorers/scorer.h"

namespace kvantage::inline leverage_scorers {

#define KVANTAGE_SCORER(name, ...) Expected<std::unique_ptr<Scorer>> make_##name(const Parameters& parameters);
#include "core/compress/leverage/leverage.inl"
#undef KVANTAGE_SCORER

/// Approximate leverage of keys before RoPE, as z-scores over all heads [kv_heads, tokens]: with X the keys less their
/// mean times a Gaussian matrix [head_dim, sketch] / sqrt(sketch), the diagonal of X (X'X + 0.01 I)^-1 X'. keys
/// [kv_heads, tokens, head_dim]. The matrix depends on seed and layer alone.
at::Tensor leverage_scores(const at::Tensor& keys, int sketch, int seed, int layer);

/// Attention within chunks of `chunk` tokens without a causal mask and without the scale 1/sqrt(d), summed over the
/// chunk's queries, mean over the group, times ||v||, averaged over 3 neighbors, as z-scores over all heads [kv_heads,
/// tokens]. queries [kv_heads, group, tokens, head_dim], keys and values [kv_heads, tokens, head_dim].
at::Tensor non_causal_scores(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                             std::int64_t chunk);

/// Bytes of the attention of one chunk for the query heads of one KV head.
std::size_t non_causal_bytes(const LayerView& view, int chunk);

/// (x - mean) / standard deviation over all numbers, the latter at least 1e-6.
at::Tensor z_scores(const at::Tensor& numbers);

/// The inverse of a symmetric matrix in double, by Cholesky factors; NaN if it is not positive definite. `matrix` [n,
/// n], double.
at::Tensor inverse_of(const at::Tensor& matrix);

}  // namespace kvantage::inline leverage_scorers
