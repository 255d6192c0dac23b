// What a shard's contexts take at given prices, and the bound that this proves: the Lagrangian of the multiple-choice
// knapsack.
//
//     sum over contexts max over options (f * value - price of the tier * bytes - load price * f * bytes in the store)
//
// plus sum over resources (price * budget) is at least the utility of every plan that keeps the budgets, at any prices
// from 0 on (weak duality); the least such bound is the optimum of the linear relaxation. A context's maximum is a
// convex function of its frequency f, piecewise linear with a piece for each option. Groups within one piece are summed
// exactly. A group that meets the next piece is bounded by the chord from its lowest to its highest frequency
// (Edmundson and Madansky), so the bound stays one; by Jensen's inequality its contexts reach at least the value at
// their mean, which bounds what the chord adds.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/fleet/context_class.h"
#include "core/fleet/frequency_groups.h"

namespace kvantage::inline fleet {

/// Utility per byte held on a tier, and per byte loaded from the store.
struct FleetPrices {
  std::array<double, max_fleet_tiers> held{};
  double loaded = 0;
};

/// Bytes held on each tier, and bytes loaded from the store (frequency * bytes, so per request of the whole fleet).
struct FleetUse {
  std::array<double, max_fleet_tiers> held{};
  double loaded = 0;
};

struct FleetLimits {
  std::array<double, max_fleet_tiers> held{};
  double loaded = std::numeric_limits<double>::infinity();
};

/// An engine and its contexts.
struct FleetShard {
  const std::vector<ContextClass>* classes = nullptr;
  FrequencyGroups groups;
  FleetLimits limits;       // of its own tiers; the store's entries are what it may use of the store (its lease)
  std::uint32_t tiers = 1;  // the last is the store
  std::uint32_t store() const { return tiers - 1; }
};

struct ShardDemand {
  double net = 0;      // the sum above, without budgets
  double net_low = 0;  // with the value at the mean instead of the chord: the true sum is from net_low to net
  FleetUse use;        // its gradient: minus the derivative of `net` by each price
};

/// The options of one class that are best at given prices, by frequency.
class ClassEnvelope {
 public:
  struct Piece {
    double from = 0, slope = 0, intercept = 0;  // from this frequency on
    int option = -1;                            // of the class; -1: unstored
    double bytes = 0;
    std::uint32_t tier = 0;
  };
  void build(const ContextClass& one, const FleetPrices& prices, std::uint32_t store);
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// The piece of a frequency, from this one on.
  std::size_t piece_of(double frequency, std::size_t from = 0) const {
    while (from + 1 < pieces_.size() && pieces_[from + 1].from <= frequency) ++from;
    return from;
  }

 private:
  std::vector<Piece> lines_, pieces_;
};

/// `envelope` is scratch space.
ShardDemand demand_at(const FleetShard& shard, const FleetPrices& prices, ClassEnvelope& envelope);

/// No form of the shard pays at a higher price per byte held.
double highest_price(const FleetShard& shard);

}  // namespace kvantage::inline fleet
