// Syncs the catalog with the tiers: after a start, and for changes of other processes to a shared tier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/runtime/catalog.h"
#include "core/store/placement_writes.h"
#include "core/store/tier_stack.h"

namespace kvantage::inline store {

class TierInventory {
 public:
  /// writes: those in flight, which are newer than the tier's content.
  TierInventory(Catalog& catalog, TierStack& tiers, const PlacementWrites& writes)
      : catalog_(catalog), tiers_(tiers), writes_(writes) {}

  /// After a start: places entries of known contexts and erases the others.
  void recover(std::size_t tier);
  /// Places entries that other processes added to the tier since the last call, if the context is not stored here and
  /// they fit. True when anything changed.
  bool sync(std::size_t tier);

 private:
  using Placed = std::map<Digest128, std::size_t>;  // entry to context
  Placed forget_headers(std::size_t tier);
  void place(std::size_t tier, const EntryInfo& info);

  Catalog& catalog_;
  TierStack& tiers_;
  const PlacementWrites& writes_;
};

}  // namespace kvantage::inline store
