// Eviction orders by name, from the rows of orders.inl.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/eviction/eviction_order.h"
#include "core/eviction/simulated_cache.h"

namespace kvantage::inline eviction {

struct EvictionOrderInfo {
  std::string_view name;
  bool is_policy = true;         // usable as a policy on its own, and in fixed(...,eviction=NAME)
  bool is_stateful = true;       // its state is not derivable from a snapshot, so it is carried from step to step
  std::string_view victim_text;  // how a reason describes the victim: "least recently used"
  std::string_view summary, source;
  std::size_t color = 0;  // in charts
  bool is_shown = false;  // false: charts draw its policy on request
  std::unique_ptr<EvictionOrder> (*make)() = nullptr;
  std::unique_ptr<SimulatedCache> (*make_cache)(std::span<const std::uint64_t> capacities) = nullptr;
};

/// All of them, in row order.
std::span<const EvictionOrderInfo> eviction_orders();
/// Nothing for an unknown name.
const EvictionOrderInfo* find_eviction_order(std::string_view name);
/// "lru|lfu|s3fifo": the orders that policies may name.
std::string eviction_choices();

#define KVANTAGE_EVICTION_ORDER(name, ...)              \
  std::unique_ptr<EvictionOrder> make_##name##_order(); \
  std::unique_ptr<SimulatedCache> make_##name##_cache(std::span<const std::uint64_t> capacities);
#include "core/eviction/orders.inl"
#undef KVANTAGE_EVICTION_ORDER

}  // namespace kvantage::inline eviction
