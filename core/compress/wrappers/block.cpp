#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "core/compress/budgets/budget.h"
#include "core/compress/wrappers/wrappers.h"

namespace kvantage::inline scorer_wrappers {
namespace {

/// Block by block (Park et al. 2025; kvpress BlockPress): of n tokens to keep the first n are there at the start. Each
/// next block of `size` tokens joins them, the inner scorer scores these rows alone, and the n best stay. The order
/// depends on n, so every removed fraction scores all blocks again.
class BlockScorer final : public Scorer {
 public:
  BlockScorer(std::unique_ptr<const Scorer> inner, int size) : inner_(std::move(inner)), size_(size) {}
  ScorerNeeds needs() const override { return inner_->needs(); }
  bool depends_on_fraction() const override { return true; }
  bool scores_again() const override { return true; }
  bool chooses() const override { return true; }
  bool equal_heads() const override { return true; }
  std::size_t score_buffer_bytes(const LayerView& view) const override { return inner_->score_buffer_bytes(view); }
  at::Tensor score(const LayerView& view) const override { return inner_->score(view); }
  Expected<at::Tensor> try_score(const LayerView& view) const override { return inner_->try_score(view); }

  void score_at(double removed_fraction, LayerScores& scores) const override {
    Observation observed;
    observed.frequencies = scores.rows->frequencies;
    for (std::size_t l = 0; l < scores.layers.size(); ++l) {
      auto& heads = scores.layers[l];
      const auto view = view_layer(scores.rows->cache, static_cast<int>(l), observed, inner_->needs());
      const KeptIndices kept = keep(*view, kept_tokens(scores.tokens(), removed_fraction));  // it was scored before
      for (std::size_t h = 0; h < heads.size(); ++h) {
        std::ranges::fill(heads[h].scores, 0.0F);
        for (const std::int32_t token : kept[h]) heads[h].scores[static_cast<std::size_t>(token)] = 1;
      }
    }
  }

 private:
  KeptIndices keep(const LayerView& view, std::size_t count) const {
    std::vector<std::int32_t> first(count);
    std::iota(first.begin(), first.end(), 0);
    KeptIndices kept(view.heads.size(), first);
    for (auto next = static_cast<std::int32_t>(count); next < view.tokens; next += size_) {
      for (auto& head : kept)
        for (std::int32_t t = next; t < std::min(next + size_, view.tokens); ++t) head.push_back(t);
      const at::Tensor scores = inner_->score(rows_of(view, kept).view).to(at::kFloat).contiguous();
      for (std::size_t h = 0; h < kept.size(); ++h) {
        LayerScores::Head head;
        const auto* const at = scores[static_cast<std::int64_t>(h)].const_data_ptr<float>();
        head.scores.assign(at, at + kept[h].size());
        rank(head);
        std::vector<std::int32_t> best = best_tokens(head, count);
        for (std::int32_t& token : best) token = kept[h][static_cast<std::size_t>(token)];
        kept[h] = std::move(best);
      }
    }
    return kept;
  }

  std::unique_ptr<const Scorer> inner_;
  int size_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_block(const Parameters& parameters, std::unique_ptr<const Scorer> inner) {
  KV_ASSIGN(const auto size, parameters.integer("size", 1, 1'000'000));
  const ObservationNeeds needs = inner->needs().observation();
  if (needs.window_queries > 0 || needs.repeat_pass || needs.calibration || needs.hidden_states || needs.output_norms)
    return wrong_inner("block", "a scorer that reads keys, values and positions alone");
  if (inner->runs_a_file())  // score_at() cannot return an error
    return wrong_inner("block", "no method of a file, because it scores again for every fraction");
  return std::make_unique<BlockScorer>(std::move(inner), size);
}

}  // namespace kvantage::inline scorer_wrappers
