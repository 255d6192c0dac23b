// Key channels that a method prunes (ThinK, Xu et al. 2024, arXiv 2407.21018): they are set to 0 in the kept rows, and
// the codec `think` then stores the other channels alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/compress/budgets/layer_scores.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline compression {

/// The `count` channels of the lowest mean q_c^2 * mean k_c^2, ascending; ties: the earlier channel. query_squares:
/// means over the last queries, [head_dim]; keys: fp32 [rows, head_dim].
std::vector<std::int32_t> weakest_channels(std::span<const float> query_squares, std::span<const float> keys,
                                           int count);

/// Sets the `count` weakest key channels of each head of one layer to 0. heads: of the layer's scores, with
/// query_squares. Errors: no_space of the pool.
Status prune_key_channels(KvCache& cache, int layer, const std::vector<LayerScores::Head>& heads, int count);

}  // namespace kvantage::inline compression
