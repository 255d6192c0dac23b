#include "core/store/scratch_entry.h"

namespace kvantage::inline store {

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
