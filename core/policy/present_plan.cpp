#include "core/policy/present_plan.h"

#include "core/policy/actions.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

Plan present_plan(const Snapshot& snapshot) {
  Plan plan;
  plan.used_bytes = used_bytes(snapshot);
  const double fallback = mean_uncompressed_quality(snapshot);
  double total_frequency = 0;
  for (const ContextState& context : snapshot.contexts) total_frequency += context.frequency;
  double weights = 0;
  for (const ContextState& context : snapshot.contexts) {
    const Prediction prediction = predict(snapshot, context, context.placement, fallback);
    const double weight = total_frequency > 0 ? context.frequency : 1;  // equal weights before the first request
    weights += weight;
    plan.mean_quality += weight * prediction.quality;
    plan.mean_ttft_seconds += weight * prediction.ttft_seconds;
    plan.total_utility += prediction.utility;
    plan.contexts.push_back({is_placed(snapshot, context) ? context.placement : Configuration{}, prediction.bytes,
                             prediction.quality, prediction.ttft_seconds, prediction.utility, 0,
                             prediction.quality_assumed, "unchanged"});
  }
  if (weights > 0) {
    plan.mean_quality /= weights;
    plan.mean_ttft_seconds /= weights;
  }
  return plan;
}

Plan plan_of(const Snapshot& snapshot, const std::vector<Target>& targets, std::uint64_t steps) {
  Snapshot moved = snapshot;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    moved.contexts[i].placement = targets[i].configuration;
    moved.contexts[i].stored_bytes = targets[i].bytes;
  }
  Plan plan = present_plan(moved);
  plan.steps = steps;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    plan.contexts[i].utility_drop = targets[i].utility_drop;
    plan.contexts[i].reason = targets[i].reason.empty() ? "unchanged" : targets[i].reason;
  }
  return plan;
}

}  // namespace kvantage::inline policy
