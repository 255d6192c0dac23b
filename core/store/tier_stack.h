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
      : tiers_(std::move(tiers)), fits_(tiers_.size()), seen_(tiers_.size()) {}

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

  /// Whether other processes changed the tier since the last sync.
  bool is_news(std::size_t tier) const {
    return tiers_[tier]->generation() != seen_[tier] && tiers_[tier]->reachable();
  }
  void note_seen(std::size_t tier) { seen_[tier] = tiers_[tier]->generation(); }
  /// Forces the next sync of the tier.
  void mark_unseen(std::size_t tier) { seen_[tier] = tiers_[tier]->generation() - 1; }

 private:
  std::vector<std::unique_ptr<StorageTier>> tiers_;
  std::vector<TierFit> fits_;
  std::vector<std::uint64_t> seen_;  // generations
};

}  // namespace kvantage::inline store
