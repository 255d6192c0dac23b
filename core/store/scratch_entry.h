// An entry on a tier beside the run's: written, read and erased again for one measurement. Placement, budgets and
// occupancy of the run are as without it; its bytes move on the tier's threads like any others.
#pragma once

#include <cstdint>
#include <optional>

#include "core/store/serialized_entry.h"
#include "core/store/tier_stack.h"

namespace kvantage::inline store {

/// Engine thread only. At most one per tier.
class ScratchEntry {
 public:
  /// Submits the write of `entry` under `key`, which no context has: as entries without an EntryLabel, it is erased
  /// when a store is opened that was not closed properly. It gets room beside the run's.
  ScratchEntry(TierStack& tiers, std::size_t tier, const Digest128& key, const SerializedEntry& entry);
  /// Cancels the write, waits until it has ended, and erases the entry.
  ~ScratchEntry();
  ScratchEntry(const ScratchEntry&) = delete;
  ScratchEntry& operator=(const ScratchEntry&) = delete;

  /// Takes the completion of the write, waiting up to `seconds`. Nothing while it is in flight, then its outcome.
  std::optional<Status> poll(double seconds);
  const EntryInfo& info() const { return info_; }

 private:
  TierStack& tiers_;
  std::size_t tier_;
  EntryInfo info_;
  CompletionQueue completions_;
  Ticket ticket_ = 0;
  std::optional<Status> written_;
};

}  // namespace kvantage::inline store
