// What a QueuedTier says about itself.
#include "tiers/queued_tier.h"

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
