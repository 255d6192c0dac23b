// What a QueuedTier says about itself, and its entries that stay where they are.
#include "tiers/queued_tier.h"

#include <utility>

namespace kvantage::inline tiers {

bool QueuedTier::contains(const Digest128& key) const {
  const std::lock_guard lock(mutex_);
  return index_.contains(key);
}

std::vector<EntryInfo> QueuedTier::entries() const {
  const std::lock_guard lock(mutex_);
  std::vector<EntryInfo> infos;
  infos.reserve(index_.size());
  for (const auto& [key, entry] : index_) infos.push_back(entry->info());
  return infos;
}

std::shared_ptr<const DeviceResidency> QueuedTier::residency(const Digest128& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : store_->residency(found->second);
}

ResidentRead QueuedTier::read_resident(const Digest128& key) {
  std::shared_ptr<StoredEntry> entry;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) entry = found->second;
  }
  ResidentRead read;
  if (entry != nullptr) read.cache = store_->residency(entry);
  const double start = clock().seconds();
  const TransferStatus status =
      read.cache != nullptr ? store_->verify(*entry)
                            : TransferStatus(fail_transfer(MissReason::absent, ErrorCode::not_found,
                                                           name() + ": entry " + key.hex() + ": not stored here"));
  read.device_seconds = clock().seconds() - start;
  bool retire = false;
  {
    const std::lock_guard lock(mutex_);
    if (status) {
      ++statistics_.reads;
      statistics_.read_bytes += entry->info().bytes;
      add_sample_locked({entry->info().bytes, read.device_seconds, false});
    } else {
      ++statistics_.misses[to_string(status.error().reason)];
      retire = condemns_entry(status.error().reason) && entry != nullptr && unlink_locked(entry);
      if (retire) ++statistics_.dropped;
    }
  }
  if (status) return read;
  if (retire) {
    entry->retire();
    read.cache.reset();
    writer_.post([this, dropped = std::move(entry)]() mutable {  // freeing memory may wait for the whole device
      dropped.reset();
      store_->settle();
    });
  }
  return {nullptr, tl::unexpected(status.error().error), to_string(status.error().reason), read.device_seconds};
}

std::uint64_t QueuedTier::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

void QueuedTier::set_capacity(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

std::uint64_t QueuedTier::capacity() const {
  const std::lock_guard lock(mutex_);
  return capacity_;
}

TierStatistics QueuedTier::statistics() const {
  auto device = store_->device_gauges();  // queries the device: not under the lock
  auto storage = store_->storage_use();
  const std::lock_guard lock(mutex_);
  TierStatistics statistics = statistics_;
  statistics.reusable_bytes = store_->reusable_bytes();
  statistics.unsealed = store_->unsealed_entries();
  statistics.device = device;
  if (storage && storage->entry_bytes == 0) storage->entry_bytes = used_bytes_;
  statistics.storage = storage;
  statistics.samples.assign(samples_.begin(), samples_.end());
  return statistics;
}

}  // namespace kvantage::inline tiers
