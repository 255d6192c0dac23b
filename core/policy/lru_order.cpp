#include "core/policy/ranked_order.h"

namespace kvantage {

namespace {

/// Least recently used: the request counter of the last access breaks all ties.
class LruOrder final : public RankedOrder {
 public:
  std::unique_ptr<EvictionOrder> clone() const override { return std::make_unique<LruOrder>(*this); }

 private:
  double rank(const EntryFacts&) const override { return 0; }
};

}  // namespace

std::unique_ptr<EvictionOrder> make_lru_order() { return std::make_unique<LruOrder>(); }

}  // namespace kvantage
