#include "core/policy/explain/plan_moves.h"

#include <algorithm>
#include <cmath>

#include "core/policy/utility.h"

namespace kvantage::inline explain {

std::optional<PlanDifference> moves_between(const Snapshot& snapshot, const Policy& policy, double first_alpha,
                                            double second_alpha, const std::function<bool()>& given_up) {
  if (!policy.uses_alpha()) return std::nullopt;
  Snapshot at = snapshot;
  at.alpha = first_alpha;
  const Plan first = policy.plan(at);
  if (given_up && given_up()) return std::nullopt;
  at.alpha = second_alpha;
  const Plan second = policy.plan(at);
  const double fallback = mean_uncompressed_quality(snapshot, policy.quality_reading());
  PlanDifference difference{.first_alpha = first_alpha,
                            .second_alpha = second_alpha,
                            .moves = {},
                            .quality_before = first.mean_quality,
                            .quality_after = second.mean_quality,
                            .ttft_before_seconds = first.mean_ttft_seconds,
                            .ttft_after_seconds = second.mean_ttft_seconds,
                            .contexts = snapshot.contexts.size()};
  for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
    const PlannedContext &before = first.contexts[i], &after = second.contexts[i];
    const Configuration &from = before.configuration, &to = after.configuration;
    if (same_configuration(from, to)) continue;
    const double frequency = snapshot.contexts[i].frequency;
    double stayed = utility(second_alpha, before.quality, before.ttft_seconds, frequency);
    if (const Formula* formula = policy.utility_formula()) {
      const Prediction here{.bytes = before.bytes, .quality = before.quality, .ttft_seconds = before.ttft_seconds};
      const Prediction unstored = predict(at, at.contexts[i], {}, fallback, policy.quality_reading());
      stayed = formula_utility(*formula, at, at.contexts[i], from, here, unstored);
    }
    const double change = after.utility - stayed;
    difference.utility_change += change;
    difference.moves.push_back({i, from, to,
                                static_cast<std::int64_t>(after.bytes) - static_cast<std::int64_t>(before.bytes),
                                before.quality, after.quality, before.ttft_seconds, after.ttft_seconds, change});
  }
  std::stable_sort(difference.moves.begin(), difference.moves.end(), [](const ContextMove& a, const ContextMove& b) {
    return std::fabs(a.utility_change) > std::fabs(b.utility_change);
  });
  return difference;
}

}  // namespace kvantage::inline explain
