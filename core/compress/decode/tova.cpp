#include "core/compress/decode/evictors.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Evicts the row with the least attention from the newest token, mean over all query heads, the same row in every KV
/// head (Oren et al. 2024, whose heads decide together). The newest row stays.
class TovaEvictor final : public DecodeEvictor {
 public:
  explicit TovaEvictor(const EvictorSetting& setting) : setting_(setting) {}
  EvictorNeeds needs() const override { return {.attention = true, .window_queries = 0, .calibration = false}; }
  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    std::vector<float> sums(static_cast<std::size_t>(step.cache.kept(step.layer, 0)), 0.0F);
    for (const std::vector<float>& attention : step.attention)
      for (std::size_t i = 0; i < attention.size(); ++i) sums[i % sums.size()] += attention[i];
    return lowest_rows(std::vector(static_cast<std::size_t>(setting_.kv_heads), sums), excess, 1, true);
  }

 private:
  EvictorSetting setting_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEvictor>> make_tova_evictor(const Parameters&, const EvictorSetting& setting) {
  return std::make_unique<TovaEvictor>(setting);
}

}  // namespace kvantage::inline decode_eviction
