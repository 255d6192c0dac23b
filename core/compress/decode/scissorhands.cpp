#include <algorithm>

#include "core/compress/decode/evictors.h"
#include "core/compress/decode/row_state.h"

namespace kvantage {
namespace {

/// How often over its last `history` steps a row drew at least an equal share of attention (1 / rows held; mean over the
/// group at least half); the row with the smallest share goes, the `recent` newest stay (Liu et al. 2023).
class ScissorhandsEvictor final : public DecodeEvictor {
 public:
  ScissorhandsEvictor(const EvictorSetting& setting, int history, int recent)
      : setting_(setting), history_(history), recent_(recent), rows_(setting.layers, setting.kv_heads) {}
  EvictorNeeds needs() const override { return {.attention = true, .window_queries = 0, .calibration = false}; }

  void see(const StepView& step) override {
    for (int h = 0; h < setting_.kv_heads; ++h) {
      const std::vector<float>& attention = step.attention[static_cast<std::size_t>(h)];
      std::vector<Seen>& rows = rows_.head(step.layer, h);
      rows.resize(static_cast<std::size_t>(step.cache.kept(step.layer, h)));
      const float share = 1.0F / static_cast<float>(rows.size());
      for (std::size_t t = 0; t < rows.size(); ++t) {
        float important = 0;
        for (int g = 0; g < step.group; ++g)
          if (attention[static_cast<std::size_t>(g) * rows.size() + t] >= share) important += 1;
        rows[t].note(important / static_cast<float>(step.group), history_);
      }
    }
  }

  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    std::vector<std::vector<float>> scores;
    for (int h = 0; h < setting_.kv_heads; ++h) {
      auto& head = scores.emplace_back();
      // Rows of the prompt that no step has seen yet are not known to be unimportant.
      for (const Seen& row : rows_.head(step.layer, h)) head.push_back(row.steps > 0 ? row.sum / row.steps : 1.0F);
    }
    return lowest_rows(scores, excess, recent_, setting_.shared_heads);
  }
  void dropped(int layer, const KeptIndices& victims) override { rows_.drop(layer, victims); }

 private:
  /// A mean over at most `history` steps; beyond that older steps fade evenly.
  struct Seen {
    float sum = 0, steps = 0;
    void note(float important, int history) {
      if (steps >= static_cast<float>(history)) {
        sum -= sum / steps;
        steps -= 1;
      }
      sum += important;
      steps += 1;
    }
  };

  EvictorSetting setting_;
  int history_, recent_;
  RowState<Seen> rows_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEvictor>> make_scissorhands_evictor(const Parameters& parameters,
                                                                   const EvictorSetting& setting) {
  const auto history = parameters.integer("history", 1, 65536);
  if (!history) return tl::unexpected(history.error());
  const auto recent = parameters.integer("recent", 0, 65536);
  if (!recent) return tl::unexpected(recent.error());
  return std::make_unique<ScissorhandsEvictor>(setting, *history, *recent);
}

}  // namespace kvantage
