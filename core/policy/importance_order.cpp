#include "core/policy/importance_order.h"

#include <algorithm>

#include "core/eviction/ranked_order.h"
#include "core/eviction/slot_order.h"

namespace kvantage::inline policy {

namespace {

/// IMPRESS scores a chunk by (important tokens in it) * (access frequency). Entries are whole here, so the tokens in a
/// chunk of fixed size are the kept tokens per byte of the entry.
class ImportanceOrder : public RankedOrder<ImportanceOrder, Slot> {
 public:
  static constexpr OrderTraits traits{.reads_tokens = true, .newcomers_compete = true};
  double rank(Slot slot, const SlotBook& book) const {
    const EntryFacts& facts = book.facts(slot);
    return facts.frequency * facts.kept_tokens / std::max(static_cast<double>(facts.bytes), 1.0);
  }
};

}  // namespace

const EvictionOrderInfo& importance_order() {
  static constexpr EvictionOrderInfo order{
      .name = "importance",
      .is_policy = false,
      .is_stateful = false,
      .victim_text = "lowest importance times frequency",
      .summary = "the context with the lowest importance times frequency moves down a tier",
      .source = "IMPRESS, Chen et al. 2025, FAST '25",
      .make = [] { return std::unique_ptr<EvictionOrder>(std::make_unique<SlotOrder<ImportanceOrder>>()); }};
  return order;
}

}  // namespace kvantage::inline policy
