#include "core/store/scratch_entry.h"

#include <algorithm>

namespace kvantage::inline store {

// The catalog counts writes in flight as placed; the tier has copies of chunks besides.
std::optional<std::uint64_t> free_bytes(const TierStack& tiers, const Catalog& catalog, std::size_t tier) {
  const std::uint64_t capacity = tiers.capacity(tier);
  if (capacity == 0) return std::nullopt;
  std::uint64_t placed = 0;
  for (const auto& [method, bytes] : catalog.bytes_by_method(static_cast<int>(tier))) placed += bytes;
  const std::uint64_t taken = std::max(placed, tiers[tier].used_bytes());
  return capacity - std::min(capacity, taken);
}

ScratchEntry::ScratchEntry(TierStack& tiers, std::size_t tier, const Digest128& key, const SerializedEntry& entry)
    : tiers_(tiers), tier_(tier), info_(entry.info), completions_(tiers[tier].clock()) {
  info_.key = key;
  info_.label = "scratch";
  tiers_.lend(tier_, key, info_.bytes);
  ticket_ = tiers_[tier_].submit_write(info_, entry.bytes, completions_);
}

ScratchEntry::~ScratchEntry() {
  if (!written_) tiers_[tier_].cancel(ticket_);
  while (!poll(0.05)) {
  }
  (void)tiers_[tier_].erase(info_.key);
  tiers_.reclaim(tier_);
}

std::optional<Status> ScratchEntry::poll(double seconds) {
  if (written_) return written_;
  for (Completion& completion : seconds > 0 ? completions_.wait(seconds) : completions_.poll())
    if (completion.last) written_ = std::move(completion.status);
  return written_;
}

}  // namespace kvantage::inline store
