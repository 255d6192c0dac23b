// Tiers in host memory.
#include "tiers/dram_tier.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/queued_tier.h"

namespace kvantage::inline kinds {

TierPlace dram_tier_place() {
  return {.open = [](const TierConfig& config, const OpenTierOptions& options) -> OpenedTier {
    return QueuedTier::open(std::make_unique<DramStore>(config.name), config.budget.capacity_bytes(),
                            options.scrub_seconds, options.executor);
  }};
}

}  // namespace kvantage::inline kinds
