// The interface between scorers and budgets: a score for each token of each KV head, and the resulting order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/kv/kv_cache.h"

namespace kvantage::inline budgets {

/// The rows that were scored, shared with their cache, for methods that score some of them again.
struct ScoredRows {
  KvCache cache;
  std::vector<float> frequencies;  // radians per position, [head_dim/2]
};

/// Scores of one cache under one method, and the resulting order.
struct LayerScores {
  struct Head {
    std::vector<float> scores;        // [tokens], larger = keep
    std::vector<std::int32_t> ranks;  // [tokens], 0 = kept longest; ties: the earlier token first
    std::vector<float> weights =
        {};  // [tokens], second scores of methods whose order depends on the fraction, or empty
    std::vector<float> query_squares =
        {};  // [head_dim], means over the last queries where channels go (ThinK), or empty
  };
  std::vector<std::vector<Head>> layers;  // [layers][kv_heads]
  /// [layers] newest tokens that later ones see, 0: all of them; empty: all in every layer.
  std::vector<std::int32_t> windows = {};
  std::int32_t length = 0;                      // tokens of the context, of which a layer with a window may hold fewer
  int sorts = 0;                                // number of sorts: one per layer and head
  std::size_t buffer_bytes = 0;                 // peak attention weights in memory while scoring
  std::shared_ptr<const ScoredRows> rows = {};  // null: nothing is scored again

  std::size_t tokens() const { return layers.empty() ? 0 : layers.front().front().scores.size(); }
  /// Whether later tokens no longer see all of a layer: then it has no scores, only zeros for the rows that it holds,
  /// and keeps what they see, whatever the method.
  bool passes_window(std::size_t layer) const {
    const std::int32_t window = layer < windows.size() ? windows[layer] : 0;
    const auto held = static_cast<std::int32_t>(layers[layer].front().scores.size());
    return window > 0 && std::max(length, held) > window;
  }
};

/// Tokens kept out of `tokens`: int(tokens * (1 - removed_fraction)) in double as in kvpress, at least 1.
inline std::size_t kept_tokens(std::size_t tokens, double removed_fraction) {
  const auto kept = static_cast<std::size_t>(static_cast<double>(tokens) * (1 - removed_fraction));
  return std::min(tokens, std::max<std::size_t>(kept, 1));
}

}  // namespace kvantage::inline budgets
