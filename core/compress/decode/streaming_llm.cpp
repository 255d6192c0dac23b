#include <algorithm>
#include <numeric>

#include "core/compress/decode/eviction_methods.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Evicts the oldest rows after the first `sinks` (Xiao et al. 2023), one per step at cadence one. They are adjacent,
/// so pages empty one after the other.
class StreamingLlmEviction final : public DecodeEviction {
 public:
  StreamingLlmEviction(const EvictionSetting& setting, int sinks) : setting_(setting), sinks_(sinks) {}
  EvictionNeeds needs() const override { return {}; }
  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    const int rows = step.cache.kept(step.layer, 0), first = std::min(sinks_, rows - 1);
    std::vector<std::int32_t> oldest(static_cast<std::size_t>(std::min(excess, rows - 1 - first)));
    std::iota(oldest.begin(), oldest.end(), first);
    return KeptIndices(static_cast<std::size_t>(setting_.kv_heads), oldest);
  }

 private:
  EvictionSetting setting_;
  int sinks_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_streaming_llm_eviction(const Parameters& parameters,
                                                                      const EvictionSetting& setting) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  return std::make_unique<StreamingLlmEviction>(setting, sinks);
}

}  // namespace kvantage::inline decode_eviction
