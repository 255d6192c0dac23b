#include "core/policy/explain/utility_split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kvantage::inline explain {
namespace {

void sort_by_net(std::vector<UtilitySplit>& splits) {
  std::ranges::stable_sort(splits, [](const UtilitySplit& a, const UtilitySplit& b) {
    return a.too_large != b.too_large ? b.too_large : a.net() > b.net();
  });
}

}  // namespace

std::vector<UtilitySplit> split_utilities(const Decision& decision, std::size_t per_tier) {
  std::vector<UtilitySplit> splits;
  if (!(decision.frequency > 0)) return splits;
  std::map<int, std::vector<const Alternative*>> by_tier;
  for (const Alternative& alternative : decision.alternatives)
    if (!alternative.chosen && !alternative.dominated) by_tier[alternative.configuration.tier].push_back(&alternative);
  splits.reserve(1 + per_tier * by_tier.size());
  const auto add = [&](const Alternative& a) {
    UtilitySplit& split = splits.emplace_back();
    split.alternative = a;
    if (decision.formula) {
      split.formula_term = a.utility;
      return;
    }
    split.quality_term = decision.alpha * a.quality * decision.frequency;
    split.ttft_term = -a.ttft_seconds * decision.frequency;
  };
  add(decision.choice());
  for (auto& [tier, all] : by_tier) {
    std::ranges::stable_sort(all, [](const Alternative* a, const Alternative* b) {
      return a->utility != b->utility ? a->utility > b->utility : a->bytes < b->bytes;
    });
    for (std::size_t i = 0; i < std::min(per_tier, all.size()); ++i) add(*all[i]);
  }
  sort_by_net(splits);
  return splits;
}

bool add_displacements(const Snapshot& snapshot, const Policy& policy, const Decision& decision,
                       std::vector<UtilitySplit>& splits, const std::function<bool()>& given_up) {
  if (splits.empty() || !decision.weighs_utility) return true;
  const Plan plan = policy.plan(snapshot);
  for (UtilitySplit& split : splits) {
    if (given_up && given_up()) return false;
    if (split.alternative.chosen) {
      split.displacement_term = 0;
      continue;
    }
    Instead forced = force_alternative(snapshot, policy, plan, decision.context, split.alternative);
    split.too_large = forced.too_large;
    if (forced.too_large) continue;
    split.displacement_term = forced.others_change;
    split.moved = std::move(forced.moved);
  }
  sort_by_net(splits);
  return true;
}

std::optional<double> equal_utility_alpha(const Alternative& one, const Alternative& other) {
  const double better = other.quality - one.quality, later = other.ttft_seconds - one.ttft_seconds;
  if (better == 0) return std::nullopt;
  const double alpha = later / better;
  return alpha > 0 && std::isfinite(alpha) ? std::optional(alpha) : std::nullopt;
}

}  // namespace kvantage::inline explain
