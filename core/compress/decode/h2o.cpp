#include <ATen/ATen.h>

#include "core/compress/decode/eviction_methods.h"
#include "core/compress/decode/row_state.h"
#include "core/compress/scorers/column_sums.h"

namespace kvantage::inline decode_eviction {
namespace {

/// acc[t] += attention of every query, mean over the group, from the prompt on. Evicts the lowest outside the most
/// recent half of the budget (Zhang et al. 2023).
class H2oEviction final : public DecodeEviction {
 public:
  explicit H2oEviction(const EvictionSetting& setting) : setting_(setting), sums_(setting.layers, setting.kv_heads) {}
  EvictionNeeds needs() const override { return {.attention = true, .window_queries = 0, .calibration = false}; }

  Status begin(const KvCache& cache, const Observation& observed) override {
    if (observed.queries.empty()) return {};
    ScorerNeeds needs{.keys = true, .window_queries = every_query};
    for (int l = 0; l < setting_.layers; ++l) {
      KV_ASSIGN(const auto view, view_layer(cache, l, observed, needs));
      for (int h = 0; h < setting_.kv_heads; ++h) {
        at::Tensor sums = at::zeros({view.tokens});
        for_attention_blocks(view.queries[h], view.keys[h], [&](std::int64_t, const at::Tensor& attention) {
          sums.slice(0, 0, attention.size(2)) += attention.sum(1).mean(0);
        });
        sums_.head(l, h).assign(sums.const_data_ptr<float>(), sums.const_data_ptr<float>() + view.tokens);
      }
    }
    return {};
  }

  void see(const StepView& step) override {
    for (int h = 0; h < setting_.kv_heads; ++h) {
      const std::vector<float>& attention = step.attention[static_cast<std::size_t>(h)];
      std::vector<float>& sums = sums_.head(step.layer, h);
      const auto rows = static_cast<std::size_t>(step.rows(h));
      sums.resize(rows, 0.0F);
      for (int g = 0; g < step.group; ++g)
        for (std::size_t t = 0; t < rows; ++t)
          sums[t] += attention[static_cast<std::size_t>(g) * rows + t] / static_cast<float>(step.group);
    }
  }

  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    std::vector<std::vector<float>> scores;
    for (int h = 0; h < setting_.kv_heads; ++h) scores.push_back(sums_.head(step.layer, h));
    const int budget = static_cast<int>(scores.front().size()) - excess;
    return lowest_rows(scores, excess, budget / 2, setting_.shared_heads());
  }
  void dropped(int layer, const KeptIndices& victims) override { sums_.drop(layer, victims); }

 private:
  EvictionSetting setting_;
  RowState<float> sums_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_h2o_eviction(const Parameters&, const EvictionSetting& setting) {
  return std::make_unique<H2oEviction>(setting);
}

}  // namespace kvantage::inline decode_eviction
