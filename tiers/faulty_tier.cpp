#include "tiers/faulty_tier.h"

namespace kvantage::inline tiers {

FaultyTier::FaultyTier(std::unique_ptr<StorageTier> inner, std::shared_ptr<FaultyDevice> device)
    : device_(std::move(device)), inner_(std::move(inner)) {}

void FaultyTier::inject(const InjectedFaults& faults) {
  const std::lock_guard lock(mutex_);
  faults_ = faults;
  device_->inject(faults);
}

TierDescription FaultyTier::describe() const {
  TierDescription description = inner_->describe();
  const std::lock_guard lock(mutex_);
  if (!faults_.plan.any()) return description;
  description.throttled = description.throttled || faults_.plan.slows();
  const std::string note = "faults injected: " + to_string(faults_);
  description.note = description.note.empty() ? note : note + "; " + description.note;
  return description;
}

TierStatistics FaultyTier::statistics() const {
  TierStatistics statistics = inner_->statistics();
  statistics.injected_faults = injected();
  return statistics;
}

Ticket FaultyTier::submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                                CompletionQueue& completions) {
  return inner_->submit_write(std::move(info), std::move(entry), completions);
}

Ticket FaultyTier::submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                               std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) {
  return inner_->submit_read(key, std::move(extents), std::move(buffers), completions);
}

}  // namespace kvantage::inline tiers
