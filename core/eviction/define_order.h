// Ends the source file of an order: defines the two factories that its row in orders.inl names.
#pragma once

#include <memory>
#include <span>

#include "core/eviction/eviction_orders.h"
#include "core/eviction/slot_order.h"
#include "core/eviction/tiered_cache.h"

#define KVANTAGE_DEFINE_EVICTION_ORDER(name, Order)                                                           \
  std::unique_ptr<EvictionOrder> make_##name##_order() { return std::make_unique<SlotOrder<Order<Slot>>>(); } \
  std::unique_ptr<SimulatedCache> make_##name##_cache(std::span<const std::uint64_t> capacities) {            \
    return std::make_unique<TieredCache<Order<std::uint32_t>>>(capacities);                                   \
  }
