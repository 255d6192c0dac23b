#include <algorithm>
#include <numeric>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// Keeps or drops whole chunks of adjacent tokens, the same in all heads of a layer (Liu et al. 2025, counted as in
/// kvpress ChunkKVPress). A chunk's score is the mean over its tokens of the sum over heads; the last, shorter chunk
/// counts as one. Keeps max(1, int(chunks * (1 - removed))) chunks.
class ChunkBudget final : public Budget {
 public:
  explicit ChunkBudget(std::size_t length) : length_(length) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    const std::size_t tokens = scores.tokens(), chunks = (tokens + length_ - 1) / length_;
    std::vector<KeptIndices> kept;
    for (const auto& heads : scores.layers) {
      if (tokens < length_) {  // less than one chunk: token by token
        kept.push_back(best_of_each_head(heads, kept_tokens(tokens, removed_fraction)));
        continue;
      }
      LayerScores::Head whole;
      for (std::size_t c = 0; c < chunks; ++c)
        whole.scores.push_back(mean(heads, c * length_, std::min(tokens, (c + 1) * length_)));
      rank(whole);
      std::vector<std::int32_t> indices;
      for (const std::int32_t chunk : best_tokens(whole, kept_tokens(chunks, removed_fraction)))
        for (std::size_t t = static_cast<std::size_t>(chunk) * length_;
             t < std::min(tokens, (static_cast<std::size_t>(chunk) + 1) * length_); ++t)
          indices.push_back(static_cast<std::int32_t>(t));
      kept.emplace_back(heads.size(), indices);
    }
    return kept;
  }

 private:
  static float mean(const std::vector<LayerScores::Head>& heads, std::size_t first, std::size_t last) {
    double sum = 0;
    for (const LayerScores::Head& head : heads)
      sum += std::accumulate(head.scores.begin() + static_cast<std::ptrdiff_t>(first),
                             head.scores.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
    return static_cast<float>(sum / static_cast<double>(last - first));
  }

  std::size_t length_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_chunkkv(const Parameters& parameters) {
  KV_ASSIGN(const auto length, parameters.integer("length", 1, 65536));
  return std::make_unique<ChunkBudget>(static_cast<std::size_t>(length));
}

}  // namespace kvantage::inline budgets
