// An eviction order as policies use it: one object per tier. A cascade announces insertions, reports hits and removals,
// and asks for victims. Entries are identified by slots, small numbers that are stable for the lifetime of the order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/eviction/order.h"

namespace kvantage::inline eviction {

using Slot = std::uint32_t;

/// Metadata of an entry on its tier that an order may use.
struct EntryFacts {
  std::uint64_t bytes = 0;        // as stored
  std::uint64_t last_access = 0;  // request counter
  std::uint64_t requests = 0;     // since its context was last stored, including that one
  double frequency = 0;           // decayed request count
  double seconds_saved = 0;       // TTFT of prefill minus TTFT of a load from this tier, at least 0
  double kept_tokens = 0;
};

class EvictionOrder {
 public:
  virtual ~EvictionOrder() = default;
  virtual std::unique_ptr<EvictionOrder> clone() const = 0;
  virtual OrderTraits traits() const = 0;
  virtual void set_capacity(std::uint64_t bytes) = 0;
  /// Before space is freed for an incoming entry of this size.
  virtual void announce(Slot slot, std::uint64_t bytes) = 0;
  virtual void enter(Slot slot, const EntryFacts& facts) = 0;
  /// A request for an entry on this tier.
  virtual void touch(Slot slot, const EntryFacts& facts) = 0;
  /// Removed without being a victim. No effect where it is absent.
  virtual void leave(Slot slot) = 0;
  /// Removes and returns the next victim; nothing when all entries are `pinned` (by slot).
  virtual std::optional<Slot> evict(const std::vector<bool>& pinned) = 0;
};

}  // namespace kvantage::inline eviction
