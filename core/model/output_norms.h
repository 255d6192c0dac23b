// Norms of what values add to the output of a layer's attention (CriticalKV, Feng et al. 2025, arXiv 2502.03805;
// KVzip+).
#pragma once

#include <span>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

/// L1 and L2 norms of W_o v for every value and each query head that reads it, in fp32, on the CPU. values: [kv_heads,
/// tokens, head_dim] of one layer; fills absolute and euclidean [heads, tokens]. internal: other sizes.
Status output_norms(const Transformer& model, int layer, std::span<const float> values, int tokens,
                    std::span<float> absolute, std::span<float> euclidean);

}  // namespace kvantage::inline model
