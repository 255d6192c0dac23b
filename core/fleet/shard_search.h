// The prices of a shard's own tiers, where those of shared resources are given: what an engine does in each round, and
// what it plans its lease by. Each price in turn is moved to where its demand meets its budget, until all do
// (coordinate descent on the convex bound). With many contexts the bound is nearly smooth and this reaches its least
// value; with a few large ones it may stop at an edge above it. The bound is one all the same.
#pragma once

#include <bitset>

#include "core/fleet/shard_demand.h"

namespace kvantage::inline fleet {

/// Which prices are searched: by tier, and at max_fleet_tiers that of loads.
using PricedResources = std::bitset<max_fleet_tiers + 1>;

struct ShardAnswer {
  FleetPrices prices;  // with those that were searched
  double bound = 0;    // net value, plus price * limit of what was searched
  FleetUse use;
  int evaluations = 0;
};

/// The tiers of its own.
PricedResources own_tiers(const FleetShard& shard);
/// Its own tiers and its lease of the store; loads where they are limited.
PricedResources all_resources(const FleetShard& shard);

/// `start`: prices to begin with, 0 where they are unknown; `tolerance`: of a budget, as a share.
ShardAnswer search_prices(const FleetShard& shard, const FleetPrices& start, const PricedResources& searched,
                          double tolerance, ClassEnvelope& envelope);

}  // namespace kvantage::inline fleet
