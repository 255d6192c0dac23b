// A fleet that plans by exchanged prices, simulated: contexts are streamed into each shard's groups, prices are
// exchanged, each shard plans its lease, and the outcome is compared with a bound and with two other ways to share the
// store. Every utility is predicted from measured curves and a preset's costs (`modelled`).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/fleet/context_source.h"
#include "core/fleet/price_exchange.h"

namespace kvantage::inline fleet {

struct FleetSetup {
  std::vector<ContextClass> classes;
  FleetWorkload workload;
  std::vector<double> own_tiers;  // bytes of each engine's tiers, fastest first
  FleetBudget store;
  ExchangeOptions exchange;  // without `start`
  std::uint32_t epochs = 1;
  std::size_t chunk = 4096;  // contexts in memory at a time, of each thread
};

/// Of memory: a class takes 24 KiB of each thread, and a class of a shard up to some KiB of groups.
inline constexpr std::size_t max_fleet_classes = 1000, max_fleet_tables = 500'000;

/// Utility per request of the fleet.
struct FleetUtility {
  double bound = 0;    // no plan has more
  double prefill = 0;  // of storing nothing
  double prices = 0;   // achieved by exchanged prices
  double equal = 0;    // by an equal share of the store for each engine
  double greedy = 0;   // by one planner that sees all contexts (pooled greedy)
  double sketch = 0;   // what the groups add to the bound at most
};

struct FleetSeconds {
  double streaming = 0, exchanging = 0, planning = 0;
};

struct FleetEpoch {
  std::uint32_t epoch = 0;
  FleetUtility utility;
  PriceExchange exchange;
  FleetSeconds seconds;
  std::uint64_t contexts = 0, groups = 0, group_bytes = 0;
  double store_used = 0;  // share of its bytes, by exchanged prices
};

/// (bound - achieved) / |bound|; 0 where the bound is 0.
double fleet_gap(const FleetUtility& utility, double achieved);
/// (bound - achieved) / (bound - prefill): the share of the possible gain that is missed; 0 where nothing can be
/// gained.
double fleet_gain_gap(const FleetUtility& utility, double achieved);

/// The first price that a coordinator tries when it knows only the classes and how many contexts there are: what the
/// best form on the store is worth per byte at the mean frequency.
double first_store_price(const FleetSetup& setup);

/// Epoch by epoch; a later one begins with the prices and leases of the one before. Cancelled: the epochs that were
/// done. usage error for a setup that cannot be.
Expected<std::vector<FleetEpoch>> simulate_fleet(const FleetSetup& setup, const FleetHooks& hooks, const Clock& clock);

/// The shards of one epoch, with `setup.own_tiers` as limits and no lease.
std::vector<FleetShard> stream_shards(const FleetSetup& setup, const ContextSource::Plan& plan, std::uint32_t epoch,
                                      const FleetHooks& hooks, bool& done);

}  // namespace kvantage::inline fleet
