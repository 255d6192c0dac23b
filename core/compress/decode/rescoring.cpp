#include "core/compress/decode/rescoring.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace kvantage::inline decode_eviction {

RescoringEviction::RescoringEviction(const EvictionSetting& setting, std::unique_ptr<Scorer> scorer, int window,
                                     int recent)
    : setting_(setting), scorer_(std::move(scorer)), window_(window), recent_(recent) {
  observed_.frequencies = setting.frequencies;
}

EvictionNeeds RescoringEviction::needs() const {
  return {.attention = false, .window_queries = window_, .calibration = scorer_->needs().calibration};
}

Status RescoringEviction::begin(const KvCache&, const Observation& observed) {
  observed_.calibration = observed.calibration;
  return {};
}

Expected<KeptIndices> RescoringEviction::victims(const StepView& step, int excess) {
  ScorerNeeds needs = scorer_->needs();
  needs.window_queries = 0;  // those of the last steps are already available
  KV_ASSIGN(auto view, view_layer(step.cache, step.layer, observed_, needs));
  const auto rows = static_cast<std::int64_t>(step.queries.size());
  if (window_ > 0) {
    at::Tensor queries = at::empty({rows, setting_.kv_heads, step.group, setting_.head_dim});
    for (std::int64_t r = 0; r < rows; ++r)
      std::ranges::copy(step.queries[static_cast<std::size_t>(r)], queries[r].mutable_data_ptr<float>());
    view.queries = queries.permute({1, 2, 0, 3}).contiguous();
  }
  KV_ASSIGN(const at::Tensor scored, scorer_->try_score(view));
  const at::Tensor scores = scored.to(at::kFloat).contiguous();
  std::vector<std::vector<float>> by_head;
  for (int h = 0; h < setting_.kv_heads; ++h) {
    const float* first = scores[h].const_data_ptr<float>();
    by_head.emplace_back(first, first + view.tokens);
  }
  return lowest_rows(by_head, excess, std::max(1, recent_), setting_.shared_heads());
}

}  // namespace kvantage::inline decode_eviction
