// A throttled tier: every transfer takes latency + bytes / bandwidth, by actually waiting on the decorator's own
// threads. Completions are delayed; nothing is computed twice and no byte changes.
//
// Reads and writes each have a lane of the full bandwidth (like a full-duplex link), so background placement does not
// slow loads down. A lane processes one extent at a time in submission order. A request's latency starts at its
// submission, in parallel to earlier transfers. If the tier below is slower than the throttle, its times apply.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/ports/storage_tier.h"
#include "tiers/throttle_lane.h"

namespace kvantage::inline tiers {

class ThrottledTier final : public StorageTier {
 public:
  ThrottledTier(std::unique_ptr<StorageTier> inner, TierLimits limits);
  ~ThrottledTier() override;

  /// Changes the throttle for reads and writes submitted from now on; {0, 0} is no throttle: they pass through and
  /// describe() reports the tier as not throttled. Transfers in flight keep their throttle.
  Status set_limits(TierLimits limits);

  TierDescription describe() const override;
  Executor& executor() const override { return executor_; }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override;
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override;
  std::vector<bool> lends(const Digest128& key, std::span<const ReadExtent> extents) const override {
    return inner_->lends(key, extents);
  }
  /// Null while it throttles: only bytes that arrive can be delayed.
  ResidentEntries* resident() override;
  void cancel(Ticket ticket) override;
  Status erase(const Digest128& key) override { return inner_->erase(key); }
  bool contains(const Digest128& key) const override { return inner_->contains(key); }
  std::vector<EntryInfo> entries() const override { return inner_->entries(); }
  std::uint64_t used_bytes() const override { return inner_->used_bytes(); }
  void set_capacity(std::uint64_t bytes) override { inner_->set_capacity(bytes); }
  std::uint64_t capacity() const override { return inner_->capacity(); }
  /// Counters of the tier below; samples of transfers under the current throttle.
  TierStatistics statistics() const override;
  bool reachable() const override { return inner_->reachable(); }
  std::uint64_t generation() const override { return inner_->generation(); }

 private:
  void route();

  std::unique_ptr<StorageTier> inner_;
  Executor& executor_;
  CompletionQueue arrived_;  // from the tier below
  mutable std::mutex mutex_;
  TierLimits limits_;
  std::unordered_map<Ticket, ThrottleLane*> lane_of_;
  ThrottleLane reads_;
  ThrottleLane writes_;
  std::unique_ptr<Executor::Thread> router_;
};

}  // namespace kvantage::inline tiers
