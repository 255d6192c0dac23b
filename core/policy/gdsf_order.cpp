#include "core/policy/ranked_order.h"

namespace kvantage {

namespace {

/// GreedyDual-Size with frequency (Cao and Irani 1997, Cherkasova 1998): H = L + requests * cost / size, the lowest H
/// leaves and becomes L, so that what is no longer asked for is overtaken. Cost is the seconds that a hit saves. A
/// newcomer competes, as in libCacheSim.
class GdsfOrder final : public RankedOrder {
 public:
  std::unique_ptr<EvictionOrder> clone() const override { return std::make_unique<GdsfOrder>(*this); }
  bool newcomers_compete() const override { return true; }

 private:
  double rank(const EntryFacts& facts) const override {
    const double size = std::max(static_cast<double>(facts.bytes), 1.0);
    return inflation_ + static_cast<double>(facts.requests) * facts.seconds_saved / size;
  }
  // The highest so far: pinned entries may let a victim of a later rank go first.
  void evicted(double rank) override { inflation_ = std::max(inflation_, rank); }

  double inflation_ = 0;
};

}  // namespace

std::unique_ptr<EvictionOrder> make_gdsf_order() { return std::make_unique<GdsfOrder>(); }

}  // namespace kvantage
