// A plan of a shard: how many contexts of each group take which form. It keeps the limits to the byte, because the
// entries of a class are equally large. Where a group is split, its most requested contexts take the form that is worth
// most; the plan's utility counts all of them at the group's mean, so an engine that carries it out reaches at least
// that.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fleet/shard_demand.h"

namespace kvantage::inline fleet {

struct PlanPart {
  std::uint32_t in_class = 0, group = 0;  // among the groups of the class
  std::int32_t option = -1;               // of the class; -1: unstored
  std::uint32_t count = 0;                // of the group's contexts
};

struct GroupPlan {
  std::vector<PlanPart> parts;
  FleetUse use;  // loads of split groups count at their highest frequency
  double utility = 0;
};

/// Every group takes its best form at these prices. Then, where a tier or the loads exceed their limit, contexts that
/// lose least per byte move; where there is room, contexts that gain most per byte do.
GroupPlan plan_groups(const FleetShard& shard, const FleetPrices& prices, ClassEnvelope& envelope);

/// Nothing is stored.
double unstored_utility(const FleetShard& shard);

}  // namespace kvantage::inline fleet
