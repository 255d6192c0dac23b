#include "core/policy/ranked_order.h"

namespace kvantage {

namespace {

/// Least frequently used: requests since the context was stored anew, among equal ones the least recently used. What
/// left the last tier begins at one again, as in the usual implementations.
class LfuOrder final : public RankedOrder {
 public:
  std::unique_ptr<EvictionOrder> clone() const override { return std::make_unique<LfuOrder>(*this); }

 private:
  double rank(const EntryFacts& facts) const override { return static_cast<double>(facts.requests); }
};

}  // namespace

std::unique_ptr<EvictionOrder> make_lfu_order() { return std::make_unique<LfuOrder>(); }

}  // namespace kvantage
