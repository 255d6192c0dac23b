#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// A chunk of tokens of one layer.
struct ScoredChunk {
  std::size_t first = 0, last = 0;
  float mean = 0, entropy = 0;  // entropy of its scores as shares, in [0, 1]
};

/// The lower one of the two in the middle, as torch.median.
float lower_median(std::vector<float> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

float share_entropy(std::span<const float> scores) {
  constexpr float epsilon = 1e-8F;
  if (scores.size() < 2) return 0;
  const float least = std::min(0.0F, *std::ranges::min_element(scores));
  float sum = 0, entropy = 0;
  for (const float score : scores) sum += score - least;
  for (const float score : scores) {
    const float share = (score - least) / (sum + epsilon);
    entropy -= share * std::log(share + epsilon);
  }
  return std::clamp(entropy / std::log(static_cast<float>(scores.size())), 0.0F, 1.0F);
}

/// Chunks as chunkkv, but an important chunk whose scores are concentrated on few tokens keeps only its `spiky` best,
/// and the budget left goes to further chunks (kvpress EntropyGatedChunkKVPress). Important: a mean at least the median
/// of all chunks; concentrated: an entropy below the median. All heads of a layer keep the same tokens, n of them.
class EntropyChunkBudget final : public Budget {
 public:
  EntropyChunkBudget(std::size_t length, std::size_t spiky) : length_(length), spiky_(spiky) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<KeptIndices> kept;
    kept.reserve(scores.layers.size());
    for (const auto& heads : scores.layers) {
      std::vector<float> sums(scores.tokens(), 0.0F);
      for (const LayerScores::Head& head : heads)
        for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += head.scores[t];
      kept.emplace_back(heads.size(), choose(sums, kept_tokens(sums.size(), removed_fraction)));
    }
    return kept;
  }

 private:
  std::vector<ScoredChunk> chunks_of(const std::vector<float>& sums) const {
    std::vector<ScoredChunk> chunks;
    chunks.reserve(sums.size() / length_ + 1);
    for (std::size_t first = 0; first < sums.size(); first += length_) {
      ScoredChunk& chunk = chunks.emplace_back();
      chunk.first = first;
      chunk.last = std::min(sums.size(), first + length_);
      const auto scores = std::span(sums).subspan(first, chunk.last - first);
      chunk.mean = std::accumulate(scores.begin(), scores.end(), 0.0F) / static_cast<float>(scores.size());
      chunk.entropy = share_entropy(scores);
    }
    return chunks;
  }

  /// Marks the `count` best tokens of [first, last) that are not marked yet.
  static void mark(const std::vector<float>& sums, std::size_t first, std::size_t last, std::size_t count,
                   std::vector<bool>& marked) {
    std::vector<std::size_t> order;
    for (std::size_t t = first; t < last; ++t)
      if (!marked[t]) order.push_back(t);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&sums](std::size_t t) { return sums[t]; });
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i) marked[order[i]] = true;
  }

  std::vector<std::int32_t> choose(const std::vector<float>& sums, std::size_t budget) const {
    std::vector<ScoredChunk> chunks = chunks_of(sums);
    std::vector<float> means, entropies;
    for (const ScoredChunk& chunk : chunks) {
      means.push_back(chunk.mean);
      entropies.push_back(chunk.entropy);
    }
    const float mean = lower_median(std::move(means)), entropy = lower_median(std::move(entropies));
    std::ranges::stable_sort(chunks, std::ranges::greater{}, &ScoredChunk::mean);
    std::vector<bool> marked(sums.size(), false);
    for (const ScoredChunk& chunk : chunks) {
      if (budget == 0) break;
      std::size_t count = std::min(chunk.last - chunk.first, budget);
      if (chunk.mean >= mean && chunk.entropy < entropy) count = std::min(count, spiky_);
      mark(sums, chunk.first, chunk.last, count, marked);
      budget -= count;
    }
    mark(sums, 0, sums.size(), budget, marked);
    std::vector<std::int32_t> kept;
    for (std::size_t t = 0; t < marked.size(); ++t)
      if (marked[t]) kept.push_back(static_cast<std::int32_t>(t));
    return kept;
  }

  std::size_t length_, spiky_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_entropy_chunkkv(const Parameters& parameters) {
  KV_ASSIGN(const auto length, parameters.integer("length", 2, 65536));
  KV_ASSIGN(const auto spiky, parameters.integer("spiky", 1, 65535));
  if (spiky >= length)
    return fail(ErrorCode::usage, "method 'entropy_chunkkv': spiky=" + std::to_string(spiky) +
                                      " must be less than length=" + std::to_string(length));
  return std::make_unique<EntropyChunkBudget>(static_cast<std::size_t>(length), static_cast<std::size_t>(spiky));
}

}  // namespace kvantage::inline budgets
