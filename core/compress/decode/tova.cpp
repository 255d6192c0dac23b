#include "core/compress/decode/eviction_methods.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Evicts the row with the least attention from the newest token, mean over all query heads, the same row in every KV
/// head (Oren et al. 2024, whose heads decide together). The newest row stays.
class TovaEviction final : public DecodeEviction {
 public:
  explicit TovaEviction(const EvictionSetting& setting) : setting_(setting) {}
  EvictionNeeds needs() const override { return {.attention = true, .window_queries = 0, .calibration = false}; }
  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    std::vector<float> sums(static_cast<std::size_t>(step.rows(0)), 0.0F);
    for (const std::vector<float>& attention : step.attention)
      for (std::size_t i = 0; i < attention.size(); ++i) sums[i % sums.size()] += attention[i];
    return lowest_rows(std::vector(static_cast<std::size_t>(setting_.kv_heads), sums), excess, 1, true);
  }

 private:
  EvictionSetting setting_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_tova_eviction(const Parameters&, const EvictionSetting& setting) {
  return std::make_unique<TovaEviction>(setting);
}

}  // namespace kvantage::inline decode_eviction
