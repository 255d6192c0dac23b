#include <algorithm>

#include "core/compress/decode/eviction_methods.h"
#include "core/compress/decode/row_state.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Counts how often over its last `history` steps a row got at least an equal share of attention (1 / rows kept), mean
/// over the group. Evicts the row with the lowest count; the `recent` newest stay. Liu et al. 2023 drop half the budget
/// at a time; here the loop's cadence sets the number of rows. A row stores history x group bits.
class ScissorhandsEviction final : public DecodeEviction {
 public:
  ScissorhandsEviction(const EvictionSetting& setting, int history, int recent)
      : setting_(setting),
        history_(static_cast<std::size_t>(history)),
        recent_(recent),
        steps_(static_cast<std::size_t>(setting.layers)),
        rows_(setting.layers, setting.kv_heads) {}
  EvictionNeeds needs() const override { return {.attention = true, .window_queries = 0, .calibration = false}; }

  void see(const StepView& step) override {
    const auto group = static_cast<std::size_t>(step.group);
    const std::size_t turn = steps_[static_cast<std::size_t>(step.layer)]++ % history_;
    for (int h = 0; h < setting_.kv_heads; ++h) {
      const std::vector<float>& attention = step.attention[static_cast<std::size_t>(h)];
      std::vector<Seen>& rows = rows_.head(step.layer, h);
      rows.resize(static_cast<std::size_t>(step.rows(h)));
      const float share = 1.0F / static_cast<float>(rows.size());
      for (std::size_t t = 0; t < rows.size(); ++t) {
        rows[t].important.resize(history_ * group);
        for (std::size_t g = 0; g < group; ++g) rows[t].note(turn * group + g, attention[g * rows.size() + t] >= share);
        rows[t].steps = std::min(rows[t].steps + 1, history_);
      }
    }
  }

  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    std::vector<std::vector<float>> scores;
    for (int h = 0; h < setting_.kv_heads; ++h) {
      auto& head = scores.emplace_back();
      // Prompt rows without any observed step are not known to be unimportant.
      for (const Seen& row : rows_.head(step.layer, h))
        head.push_back(row.steps > 0 ? static_cast<float>(row.count) / static_cast<float>(row.steps) : 1.0F);
    }
    return lowest_rows(scores, excess, recent_, setting_.shared_heads());
  }
  void dropped(int layer, const KeptIndices& victims) override { rows_.drop(layer, victims); }

 private:
  /// A ring of the last `history` steps, advanced together by all rows of a layer.
  struct Seen {
    std::vector<bool> important;  // [history, group]
    std::size_t count = 0;        // set bits
    std::size_t steps = 0;        // observed, at most history
    void note(std::size_t place, bool now) {
      count += static_cast<std::size_t>(now) - static_cast<std::size_t>(important[place]);
      important[place] = now;
    }
  };

  EvictionSetting setting_;
  std::size_t history_;
  int recent_;
  std::vector<std::size_t> steps_;  // [layers], observed so far
  RowState<Seen> rows_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_scissorhands_eviction(const Parameters& parameters,
                                                                     const EvictionSetting& setting) {
  KV_ASSIGN(const auto history, parameters.integer("history", 1, 65536));
  KV_ASSIGN(const auto recent, parameters.integer("recent", 0, 65536));
  return std::make_unique<ScissorhandsEviction>(setting, history, recent);
}

}  // namespace kvantage::inline decode_eviction
