#include <algorithm>
#include <functional>

#include "core/compress/decode/eviction_methods.h"
#include "core/compress/decode/row_state.h"
#include "core/compress/scorers/row_math.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Inverse key L2: evicts keys of high norm, as PagedEviction runs it while decoding (section 5.2). The norm of a key
/// does not change, so that each is computed once. The newest row stays.
class KnormEviction final : public DecodeEviction {
 public:
  KnormEviction(const EvictionSetting& setting, bool keep_high)
      : setting_(setting), keep_high_(keep_high), scores_(setting.layers, setting.kv_heads) {}
  EvictionNeeds needs() const override { return {}; }

  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    std::vector<std::vector<float>> by_head;
    by_head.reserve(static_cast<std::size_t>(setting_.kv_heads));
    for (int h = 0; h < setting_.kv_heads; ++h) {
      std::vector<float>& scores = scores_.head(step.layer, h);
      score_new_rows(step.cache.head(step.layer, h), scores);
      by_head.push_back(scores);
    }
    return lowest_rows(by_head, excess, 1, setting_.shared_heads());
  }
  void dropped(int layer, const KeptIndices& victims) override { scores_.drop(layer, victims); }

 private:
  void score_new_rows(HeadView head, std::vector<float>& scores) const {
    const auto rows = static_cast<std::size_t>(head.kept);
    const std::size_t known = scores.size() <= rows ? scores.size() : 0;
    std::vector<std::int32_t> slots(rows - known);
    for (std::size_t row = known; row < rows; ++row) slots[row - known] = head.slot(row);
    head.row_slots = slots;
    head.kept = static_cast<int>(slots.size());
    scores.resize(rows);
    const auto fresh = std::span(scores).subspan(known);
    if (fresh.empty()) return;
    key_norms(head, fresh);
    if (!keep_high_) std::ranges::transform(fresh, fresh.begin(), std::negate<>());
  }

  EvictionSetting setting_;
  bool keep_high_;
  RowState<float> scores_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_knorm_eviction(const Parameters& parameters,
                                                              const EvictionSetting& setting) {
  const auto keep = parameters.word("keep", {"low", "high"});  // GCC 12 reports a moved text as uninitialized
  if (!keep) return tl::unexpected(keep.error());
  return std::make_unique<KnormEviction>(setting, *keep == "high");
}

}  // namespace kvantage::inline decode_eviction
