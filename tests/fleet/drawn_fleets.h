// Small fleets in which every context is a class of its own, so groups are exact; the formula of
// tests/parity/make_fleet_goldens.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/fleet/price_exchange.h"
#include "core/fleet/shard_demand.h"

namespace kvantage::testing {

struct FleetShape {
  std::uint64_t seed = 1;
  std::size_t shards = 3, contexts = 5, own = 1;
  std::uint64_t forms = 2;
};

/// `shards` point to `classes`, which hold every drawn form, not only those on the hull.
struct DrawnFleet {
  std::vector<std::vector<ContextClass>> classes;  // [shards][contexts]
  std::vector<std::vector<float>> frequencies;
  std::vector<FleetShard> shards;
  FleetBudget store;

  DrawnFleet() = default;
  DrawnFleet(DrawnFleet&&) = default;
  DrawnFleet(const DrawnFleet&) = delete;
};

inline DrawnFleet drawn_fleet(const FleetShape& shape) {
  Random random(shape.seed);
  DrawnFleet fleet;
  fleet.classes.resize(shape.shards);
  fleet.frequencies.resize(shape.shards);
  fleet.shards.resize(shape.shards);
  for (std::size_t s = 0; s < shape.shards; ++s) {
    FleetShard& shard = fleet.shards[s];
    shard.tiers = static_cast<std::uint32_t>(shape.own + 1);
    for (std::size_t t = 0; t < shape.own; ++t)
      shard.limits.held[t] = static_cast<double>(shape.contexts * 500 * (t + 1) + random.below(1000));
    GroupBuilder builder(shape.contexts);
    for (std::size_t c = 0; c < shape.contexts; ++c) {
      const std::uint64_t size = 1000 + random.below(9000);
      const float frequency = static_cast<float>(1 + random.below(1000)) / 1024;
      ContextClass one;
      one.unstored = static_cast<double>(random.below(100)) / 1024;
      const std::uint64_t worth = 200 + random.below(800);
      for (std::size_t t = 0; t <= shape.own; ++t)
        for (std::uint64_t form = 1; form <= shape.forms; ++form) {
          const std::uint64_t value = worth * form / (form + 1 + t) + random.below(50);
          one.options.push_back({static_cast<std::uint32_t>(t), static_cast<double>(size * form / shape.forms),
                                 static_cast<double>(value) / 1024});
        }
      fleet.classes[s].push_back(std::move(one));
      fleet.frequencies[s].push_back(frequency);
      builder.add(static_cast<std::uint32_t>(c), frequency);
    }
    shard.groups = builder.take();
  }
  fleet.store.held = static_cast<double>(shape.shards * shape.contexts * 300 + random.below(1000));
  for (std::size_t s = 0; s < shape.shards; ++s) fleet.shards[s].classes = &fleet.classes[s];
  return fleet;
}

/// A first price that needs no knowledge of the fleet.
inline ExchangeOptions options_for(const DrawnFleet& fleet, int rounds = 60, double loss = 0) {
  double highest = 0;
  for (const FleetShard& shard : fleet.shards) highest = std::max(highest, highest_price(shard));
  ExchangeOptions options;
  options.rounds = rounds;
  options.loss = loss;
  options.start.held[fleet.shards.front().store()] = highest / 4;
  options.smallest_price = highest * 1e-12;
  return options;
}

}  // namespace kvantage::testing
