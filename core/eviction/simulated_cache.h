// A tiered cache without contents. Entries enter the fastest tier that could hold them. Victims of an order (order.h)
// move one tier down, and off the last one; a touch promotes an entry to the top.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline eviction {

inline constexpr std::size_t max_simulated_tiers = 8;

/// Hits of one request, by tier.
struct Reuse {
  std::array<std::uint64_t, max_simulated_tiers> units{};  // blocks, or the unit of the entry's size
  std::uint64_t all = 0;
  void clear() { *this = {}; }
};

class SimulatedCache {
 public:
  virtual ~SimulatedCache() = default;
  /// Before the first touch, for caches that need the future: every key that will be touched, in order.
  virtual void expect(std::uint64_t /*key*/) {}
  virtual std::uint64_t expected() const { return 0; }
  /// Before the touches of a request: its time, and the category of its sender (0: unknown). Times ascend.
  virtual void begin_request(double /*seconds*/, std::uint64_t /*workload*/) {}
  /// Prefix blocks of a request, front to back, each inserted with size 1 when touched. `reuse` counts hits up to the
  /// first miss.
  virtual void touch_blocks(std::span<const std::uint64_t> blocks, Reuse& reuse) = 0;
  /// Touches a context, which is cached with `size` from now on, as a whole or not at all; `reuse` gets its previous
  /// size. `saved_seconds`: by a hit on each tier, for orders that use it; empty: proportional to the size.
  virtual void touch_context(std::uint64_t context, std::uint64_t size, std::span<const double> saved_seconds,
                             Reuse& reuse) = 0;
  virtual std::uint64_t held(std::size_t tier) const = 0;
  /// Units inserted into or demoted to a tier.
  virtual std::uint64_t written(std::size_t tier) const = 0;
  virtual std::uint64_t distinct() const = 0;
};

/// The names of all orders, and the same as a list for messages: "lru, fifo, lfu".
const std::vector<std::string_view>& cache_orders();
std::string cache_order_list();
/// `capacities`: of 1 to max_simulated_tiers tiers, fastest first. `order`: an eviction order, or of one tier a cache
/// of trace_caches.h. usage error for an unknown one.
Expected<std::unique_ptr<SimulatedCache>> make_simulated_cache(std::string_view order,
                                                               std::span<const std::uint64_t> capacities);

}  // namespace kvantage::inline eviction
