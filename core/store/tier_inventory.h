// Keeps the catalog true to what the tiers hold: after a start, and where others write into a shared tier.
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
  /// writes: those in flight, which are newer than what a tier holds.
  TierInventory(Catalog& catalog, TierStack& tiers, const PlacementWrites& writes)
      : catalog_(catalog), tiers_(tiers), writes_(writes) {}

  /// After a start: places entries of known contexts and erases the others.
  void recover(std::size_t tier);
  /// Places what others put into the tier since the last time, where a context is not stored and the budget allows it.
  /// True when anything changed.
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
