// An order of eviction as policies use it: one object a tier. A cascade announces who comes, says who is asked for and
// who goes, and asks for victims. Entries are known by slots, small numbers that stay the same for as long as the order
// lives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/eviction/order.h"

namespace kvantage {

using Slot = std::uint32_t;

/// What an order may weigh about an entry on its tier.
struct EntryFacts {
  std::uint64_t bytes = 0;        // as stored
  std::uint64_t last_access = 0;  // request counter
  std::uint64_t requests = 0;     // since its context was last stored, that one included
  double frequency = 0;           // requests that fade
  double seconds_saved = 0;       // TTFT of prefilling minus TTFT of loading it from this tier, at least 0
  double kept_tokens = 0;
};

class EvictionOrder {
 public:
  virtual ~EvictionOrder() = default;
  virtual std::unique_ptr<EvictionOrder> clone() const = 0;
  virtual OrderTraits traits() const = 0;
  virtual void set_capacity(std::uint64_t bytes) = 0;
  /// Before room is made for an entry of so many bytes that is about to enter.
  virtual void announce(Slot slot, std::uint64_t bytes) = 0;
  virtual void enter(Slot slot, const EntryFacts& facts) = 0;
  /// A request for an entry on this tier.
  virtual void touch(Slot slot, const EntryFacts& facts) = 0;
  /// Gone without having been a victim. Nothing happens where it is not here.
  virtual void leave(Slot slot) = 0;
  /// Takes the next victim out; nothing when all that is here is `pinned` (by slot).
  virtual std::optional<Slot> evict(const std::vector<bool>& pinned) = 0;
};

}  // namespace kvantage
