#include "core/store/tier_inventory.h"

#include <algorithm>

namespace kvantage::inline store {

void TierInventory::recover(std::size_t tier) {
  tiers_.note_seen(tier);
  for (const EntryInfo& info : tiers_[tier].entries()) place(tier, info);
}

void TierInventory::place(std::size_t tier, const EntryInfo& info) {
  const auto label = EntryLabel::parse(info.label);
  const auto context = label ? catalog_.index_of(label->context) : std::nullopt;
  if (!context || catalog_.residency(*context).placement.stored()) {
    (void)tiers_[tier].erase(info.key);
    return;
  }
  ContextResidency& residency = catalog_.residency(*context);
  residency.placement = {static_cast<int>(tier), label->method, label->removed_fraction};
  residency.stored_bytes = info.bytes;
  // Another process valued it: without a count the next plan would evict it.
  double& frequency = catalog_.demand(*context).frequency;
  frequency = std::max(frequency, 1.0);
  catalog_.details(*context).entry = info;
  catalog_.details(*context).forget_header();
}

// Cached headers may belong to versions that other processes replaced.
TierInventory::Placed TierInventory::forget_headers(std::size_t tier) {
  Placed placed;
  for (std::size_t c = 0; c < catalog_.size(); ++c)
    if (catalog_.residency(c).placement.stored() && catalog_.residency(c).placement.tier == static_cast<int>(tier)) {
      placed[catalog_.details(c).entry.key] = c;
      catalog_.details(c).forget_header();
    }
  return placed;
}

bool TierInventory::sync(std::size_t tier) {
  if (!tiers_.is_news(tier)) return false;
  StorageTier& storage = tiers_[tier];
  tiers_.note_seen(tier);
  const Placed placed = forget_headers(tier);
  std::uint64_t bytes = 0;
  for (const auto& [key, context] : placed) bytes += catalog_.residency(context).stored_bytes;
  for (const EntryInfo& info : storage.entries()) {
    if (const auto known = placed.find(info.key); known != placed.end()) {
      // Other processes may have written another version with another length. A write in flight from here is newer.
      if (writes_.of(known->second) != nullptr) continue;
      bytes += info.bytes - catalog_.residency(known->second).stored_bytes;
      catalog_.residency(known->second).stored_bytes = info.bytes;
      catalog_.details(known->second).entry = info;
      continue;
    }
    // Plans count placed entries: those beyond the budget, or of a context that is already placed, are left to other
    // processes.
    if (tiers_.capacity(tier) != 0 && bytes + info.bytes > tiers_.capacity(tier)) {
      (void)storage.erase(info.key);
      continue;
    }
    place(tier, info);
    if (storage.contains(info.key)) bytes += info.bytes;
  }
  return true;
}

}  // namespace kvantage::inline store
