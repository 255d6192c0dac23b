#include "core/experiments/regime_tiers.h"

#include <algorithm>
#include <limits>

namespace kvantage::inline experiments {
namespace {

/// Fits as they are without throttles. The bandwidth of a throttled tier is unknown then, so it is no limit.
Snapshot without_throttles(Snapshot snapshot) {
  for (TierState& tier : snapshot.tiers) {
    if (!tier.throttled) continue;
    tier.model.bytes_per_second = std::numeric_limits<double>::infinity();
    tier.model.latency_seconds = std::max(0.0, tier.model.latency_seconds - tier.added_latency_seconds);
  }
  return snapshot;
}

}  // namespace

std::vector<TierConfig> tiers_in(const Regime& regime, double first_percent, const Snapshot& snapshot,
                                 std::vector<TierConfig> tiers) {
  const Snapshot fits = without_throttles(snapshot);
  for (std::size_t t = 0; t < regime.tiers.size(); ++t) {
    const RegimeTier& wanted = regime.tiers[t];
    tiers[t].budget =
        wanted.times_first > 0 ? TierBudget::percent(first_percent * wanted.times_first) : TierBudget::unlimited();
    tiers[t].throttle = {.load_per_prefill = wanted.load_per_prefill};
  }
  std::uint64_t kv_bytes = 0;
  for (const ContextState& context : snapshot.contexts) kv_bytes += context.full_bytes;
  resolve_budgets(tiers, kv_bytes);
  resolve_bandwidths(tiers, fits);
  return tiers;
}

}  // namespace kvantage::inline experiments
