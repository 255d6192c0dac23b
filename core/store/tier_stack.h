// The budgeted tiers of a session, fastest first, each with its cost fit and last seen generation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/fits/fits.h"
#include "core/ports/storage_tier.h"
#include "core/ports/tier_report.h"

namespace kvantage::inline store {

class TierStack {
 public:
  explicit TierStack(std::vector<std::unique_ptr<StorageTier>> tiers)
      : tiers_(std::move(tiers)), fits_(tiers_.size()), seen_(tiers_.size()), lent_(tiers_.size()) {}

  std::size_t count() const { return tiers_.size(); }
  StorageTier& operator[](std::size_t tier) { return *tiers_[tier]; }
  const StorageTier& operator[](std::size_t tier) const { return *tiers_[tier]; }
  TierFit& fit(std::size_t tier) { return fits_[tier]; }
  void set_fit(std::size_t tier, TierFit fit) { fits_[tier] = std::move(fit); }
  TierReport report(std::size_t tier) const {
    TierReport report{tiers_[tier]->describe(), tiers_[tier]->reachable(), fits_[tier].report(),
                      tiers_[tier]->statistics()};
    report.statistics.samples.clear();
    return report;
  }

  /// Limit of the run's entries on a tier; 0: unlimited.
  std::uint64_t capacity(std::size_t tier) const {
    const std::uint64_t all = tiers_[tier]->capacity();
    return all == 0 ? 0 : all - lent_[tier].bytes;
  }
  void set_capacity(std::size_t tier, std::uint64_t bytes) {
    tiers_[tier]->set_capacity(bytes == 0 ? 0 : bytes + lent_[tier].bytes);
  }
  /// Room for one entry beside the run's (ScratchEntry), until reclaim(): `capacity` and occupancy do not include it.
  void lend(std::size_t tier, const Digest128& key, std::uint64_t bytes) { lend_room(tier, {key, bytes}); }
  void reclaim(std::size_t tier) { lend_room(tier, {}); }
  bool has_lent(std::size_t tier) const { return lent_[tier].bytes > 0; }
  /// Bytes on a tier that are not the run's.
  std::uint64_t scratch_bytes(std::size_t tier) const {
    return has_lent(tier) && tiers_[tier]->contains(lent_[tier].key) ? lent_[tier].bytes : 0;
  }

  /// Whether other processes changed the tier since the last sync.
  bool is_news(std::size_t tier) const {
    return tiers_[tier]->generation() != seen_[tier] && tiers_[tier]->reachable();
  }
  void note_seen(std::size_t tier) { seen_[tier] = tiers_[tier]->generation(); }
  /// Forces the next sync of the tier.
  void mark_unseen(std::size_t tier) { seen_[tier] = tiers_[tier]->generation() - 1; }

 private:
  struct Lent {
    Digest128 key;
    std::uint64_t bytes = 0;  // 0: nothing
  };
  void lend_room(std::size_t tier, const Lent& room) {
    const std::uint64_t of_the_run = capacity(tier);
    lent_[tier] = room;
    set_capacity(tier, of_the_run);
  }

  std::vector<std::unique_ptr<StorageTier>> tiers_;
  std::vector<TierFit> fits_;
  std::vector<std::uint64_t> seen_;  // generations
  std::vector<Lent> lent_;
};

}  // namespace kvantage::inline store
