// The interface between scorers and budgets: a score for each token of each KV head, and the resulting order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvantage::inline budgets {

/// Scores of one cache under one method, and the resulting order.
struct LayerScores {
  struct Head {
    std::vector<float> scores;        // [tokens], larger = keep
    std::vector<std::int32_t> ranks;  // [tokens], 0 = kept longest; ties: the earlier token first
  };
  std::vector<std::vector<Head>> layers;  // [layers][kv_heads]
  int sorts = 0;                          // number of sorts: one per layer and head
  std::size_t buffer_bytes = 0;           // peak attention weights in memory while scoring

  std::size_t tokens() const { return layers.empty() ? 0 : layers.front().front().scores.size(); }
};

/// Tokens kept out of `tokens`: int(tokens * (1 - removed_fraction)) in double as in kvpress, at least 1.
inline std::size_t kept_tokens(std::size_t tokens, double removed_fraction) {
  const auto kept = static_cast<std::size_t>(static_cast<double>(tokens) * (1 - removed_fraction));
  return std::min(tokens, std::max<std::size_t>(kept, 1));
}

}  // namespace kvantage::inline budgets
