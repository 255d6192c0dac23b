// State of the eviction orders over the contexts of a run: one order per tier, requests counted since each was stored.
// It follows the snapshot, which is authoritative about placements, whatever became of the expected actions.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/digest.h"
#include "core/eviction/eviction_orders.h"
#include "core/policy/policy.h"

namespace kvantage::inline policy {

class EvictionMemory final : public PolicyMemory {
 public:
  /// The row outlives the memory; rows of orders.inl always do.
  explicit EvictionMemory(const EvictionOrderInfo& order) : order_(&order), traits_(order.make()->traits()) {}
  EvictionMemory(const EvictionMemory& other);
  EvictionMemory& operator=(const EvictionMemory&) = delete;

  const EvictionOrderInfo& order() const { return *order_; }
  /// Syncs contexts, capacities and placements with the snapshot. Call it first in each step.
  void follow(const Snapshot& snapshot);

  /// A request for a stored context.
  void touch(const Snapshot& snapshot, std::size_t index);
  /// The cascade moves contexts[index]: off its tier, and onto one with this many bytes.
  void leave(std::size_t index);
  void announce(std::size_t index, std::size_t tier, std::uint64_t bytes) {
    orders_[tier]->announce(slots_[index], bytes);
  }
  bool newcomers_compete() const { return traits_.newcomers_compete; }
  void enter(const Snapshot& snapshot, std::size_t index, const Configuration& configuration, std::uint64_t bytes);
  /// Index of the next victim of a tier, which is removed.
  std::optional<std::size_t> evict(std::size_t tier);

 private:
  void map_contexts(const Snapshot& snapshot);
  EntryFacts facts(const Snapshot& snapshot, std::size_t index, const Configuration& configuration,
                   std::uint64_t bytes) const;

  struct Known {
    Digest128 key;
    int tier = not_stored;       // the tier whose order holds it
    std::uint64_t requests = 0;  // since it was last stored; 0 while it is stored nowhere
  };
  const EvictionOrderInfo* order_;
  OrderTraits traits_;
  std::vector<Known> known_;                            // by slot
  std::vector<std::unique_ptr<EvictionOrder>> orders_;  // [tiers]
  std::vector<Slot> slots_;                             // by index into the contexts
  std::vector<std::size_t> indices_;                    // by slot; no_index: not among the contexts
  std::vector<bool> pinned_;                            // by slot
};

/// The memory in `state` where it is for this order, else a new one.
std::shared_ptr<EvictionMemory> take_eviction_memory(PolicyState& state, const EvictionOrderInfo& order);

}  // namespace kvantage::inline policy
