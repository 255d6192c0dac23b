#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "core/compress/budgets/budget.h"
#include "core/compress/wrappers/wrappers.h"

namespace kvantage::inline scorer_wrappers {
namespace {

/// The same share of every chunk of `length` tokens (FINCH, Corallo and Papotti 2024; kvpress ChunkPress): max(1,
/// int(tokens of the chunk * (1 - removed))) of each. The inner scorer sees each chunk alone, with the chunk's own
/// queries, or the whole context.
class ChunkScorer final : public Scorer {
 public:
  ChunkScorer(std::unique_ptr<const Scorer> inner, int length, bool alone)
      : inner_(std::move(inner)), length_(length), alone_(alone) {}
  ScorerNeeds needs() const override {
    ScorerNeeds needs = inner_->needs();
    if (alone_ && needs.window_queries > 0) needs.window_queries = every_query;
    return needs;
  }
  bool depends_on_fraction() const override { return true; }
  bool chooses() const override { return true; }
  bool equal_heads() const override { return true; }
  std::size_t score_buffer_bytes(const LayerView& view) const override { return inner_->score_buffer_bytes(view); }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    if (!alone_) return inner_->try_score(view);
    std::vector<at::Tensor> chunks;
    for (int first = 0; first < view.tokens; first += length_) {
      std::vector<std::int32_t> rows(static_cast<std::size_t>(std::min(length_, view.tokens - first)));
      std::iota(rows.begin(), rows.end(), first);
      const RowsView chunk = rows_of(view, KeptIndices(view.heads.size(), rows));
      KV_ASSIGN(auto scores, inner_->try_score(chunk.view));
      chunks.push_back(scores.to(at::kFloat));
    }
    return at::cat(chunks, 1);
  }

  void score_at(double removed_fraction, LayerScores& scores) const override {
    const auto length = static_cast<std::size_t>(length_);
    for (auto& heads : scores.layers)
      for (LayerScores::Head& head : heads)
        for (std::size_t first = 0; first < head.scores.size(); first += length) {
          const std::size_t count = std::min(length, head.scores.size() - first);
          const auto begin = head.scores.begin() + static_cast<std::ptrdiff_t>(first);
          LayerScores::Head chunk;
          chunk.scores.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
          rank(chunk);
          const std::size_t kept = kept_tokens(count, removed_fraction);
          for (std::size_t t = 0; t < count; ++t)
            head.scores[first + t] = static_cast<std::size_t>(chunk.ranks[t]) < kept ? 1.0F : 0.0F;
        }
  }

 private:
  std::unique_ptr<const Scorer> inner_;
  int length_;
  bool alone_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_chunk(const Parameters& parameters, std::unique_ptr<const Scorer> inner) {
  KV_ASSIGN(const auto length, parameters.integer("length", 1, 1'000'000));
  const auto scores = parameters.word("scores", {"chunk", "whole"});
  if (!scores) return tl::unexpected(scores.error());
  if (*scores == "chunk" && inner->needs().repeat_pass)
    return wrong_inner("chunk", "a scorer that can score a chunk alone; kvzip needs scores=whole");
  return std::make_unique<ChunkScorer>(std::move(inner), length, *scores == "chunk");
}

}  // namespace kvantage::inline scorer_wrappers
