// A file tier with fault injection: the tier over a FaultyDevice, with a label that shows it. The faults can change at
// any time; without any, the tier behaves as if unwrapped.
#pragma once

#include <memory>
#include <mutex>

#include "core/ports/storage_tier.h"
#include "tiers/faulty_device.h"

namespace kvantage::inline tiers {

class FaultyTier final : public StorageTier {
 public:
  /// `inner` uses `device` for its I/O.
  FaultyTier(std::unique_ptr<StorageTier> inner, std::shared_ptr<FaultyDevice> device);

  /// Takes effect immediately and reseeds the random streams.
  void inject(const InjectedFaults& faults);
  /// Injected faults by kind, since the tier was opened.
  std::map<std::string, std::uint64_t> injected() const { return device_->counts(); }

  /// With the faults in its note, "faults injected: flip_on_read:0.01"; throttled if they include delays.
  TierDescription describe() const override;
  Executor& executor() const override { return inner_->executor(); }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override;
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override;
  std::vector<bool> lends(const Digest128& key, std::span<const ReadExtent> extents) const override {
    return inner_->lends(key, extents);
  }
  void cancel(Ticket ticket) override { inner_->cancel(ticket); }
  Status erase(const Digest128& key) override { return inner_->erase(key); }
  bool contains(const Digest128& key) const override { return inner_->contains(key); }
  std::vector<EntryInfo> entries() const override { return inner_->entries(); }
  std::uint64_t used_bytes() const override { return inner_->used_bytes(); }
  void set_capacity(std::uint64_t bytes) override { inner_->set_capacity(bytes); }
  std::uint64_t capacity() const override { return inner_->capacity(); }
  /// Includes injected().
  TierStatistics statistics() const override;
  bool reachable() const override { return inner_->reachable(); }
  std::uint64_t generation() const override { return inner_->generation(); }

 private:
  std::shared_ptr<FaultyDevice> device_;
  std::unique_ptr<StorageTier> inner_;
  mutable std::mutex mutex_;
  InjectedFaults faults_;
};

}  // namespace kvantage::inline tiers
