#include "core/eviction/simulated_cache.h"

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/eviction/eviction_orders.h"
#include "core/eviction/trace_caches.h"

namespace kvantage::inline eviction {

const std::vector<std::string_view>& cache_orders() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const EvictionOrderInfo& order : eviction_orders()) all.push_back(order.name);
    return all;
  }();
  return names;
}

std::string cache_order_list() {
  std::string list;
  for (const std::string_view name : cache_orders()) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

Expected<std::unique_ptr<SimulatedCache>> make_simulated_cache(std::string_view order,
                                                               std::span<const std::uint64_t> capacities) {
  if (capacities.empty() || capacities.size() > max_simulated_tiers)
    return fail(ErrorCode::usage, "a simulated cache has 1 to 8 tiers, not " + std::to_string(capacities.size()) +
                                      "; give them fastest first");
  if (const EvictionOrderInfo* found = find_eviction_order(order)) return found->make_cache(capacities);
  if (const TraceCacheInfo* found = find_trace_cache(order)) {
    if (capacities.size() > 1)
      return fail(ErrorCode::usage, std::string(found->name) + " has one tier; give one tier or --capacity-blocks");
    return found->make(capacities.front());
  }
  return fail(ErrorCode::usage,
              "'" + printable(order) + "' is not an eviction order; " + did_you_mean(order, cache_orders()));
}

}  // namespace kvantage::inline eviction
