// A cache of tiers without contents: entries enter the fastest tier that could hold them; what an order (cache_order.h)
// lets go there moves one tier down, and from the last one out; a touch brings an entry back to the top.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/simulator/cost_model.h"

namespace kvantage {

/// What one request found, by tier.
struct Reuse {
  std::array<std::uint64_t, most_simulated_tiers> units{};  // blocks, or the unit of the entry's size
  std::uint64_t all = 0;
  void clear() { *this = {}; }
};

class SimulatedCache {
 public:
  virtual ~SimulatedCache() = default;
  /// Prefix blocks of a request, front to back, each held at once with size 1; `reuse` counts those that were held
  /// while all before them were.
  virtual void touch_blocks(std::span<const std::uint64_t> blocks, Reuse& reuse) = 0;
  /// A context that is held with `size` from now on, as a whole or not at all; `reuse` gives the size it was held with.
  /// `saved_seconds`: by a hit on each tier, for orders that weigh them; empty: in proportion to the size.
  virtual void touch_context(std::uint64_t context, std::uint64_t size, std::span<const double> saved_seconds,
                             Reuse& reuse) = 0;
  virtual std::uint64_t held(std::size_t tier) const = 0;
  /// Units that entered a tier or came down to it.
  virtual std::uint64_t written(std::size_t tier) const = 0;
  virtual std::uint64_t distinct() const = 0;
};

/// "lru", "fifo", "lfu", "gdsf", "s3fifo".
std::span<const std::string_view> cache_orders();
/// `capacities`: of 1 to most_simulated_tiers tiers, fastest first. usage error for an unknown order.
Expected<std::unique_ptr<SimulatedCache>> make_simulated_cache(std::string_view order,
                                                               std::span<const std::uint64_t> capacities);

}  // namespace kvantage
