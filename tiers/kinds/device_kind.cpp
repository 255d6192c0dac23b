// Tiers in GPU memory.
#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"

namespace kvantage::inline kinds {

TierPlace device_tier_place() {
  return {.open = [](const TierConfig& config, const OpenTierOptions& options) -> OpenedTier {
    if (options.accelerator == nullptr)
      return fail(ErrorCode::rejected_input,
                  "tier '" + config.name +
                      "': no GPU is used here; leave the tier out, or see what 'kvantage-cli device' says");
    const std::uint64_t capacity = config.budget.capacity_bytes();
    KV_ASSIGN(auto store, options.accelerator->open_store(config.name, capacity));
    return QueuedTier::open(std::move(store), capacity, options.scrub_seconds, options.executor);
  }};
}

}  // namespace kvantage::inline kinds
