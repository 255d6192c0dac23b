#include "core/policy/planning_problem.h"

#include <algorithm>
#include <cmath>

#include "core/policy/utility.h"

namespace kvantage {

namespace {

class CandidateFilter {
 public:
  explicit CandidateFilter(const Snapshot& snapshot) : snapshot_(snapshot) {}
  bool allows(const ProfilePoint& point) const {
    const bool whole = same_fraction(point.removed_fraction, 0);
    if (whole && point.method == "none") return true;
    const auto& methods = snapshot_.candidate_methods;
    if (!methods.empty() && std::find(methods.begin(), methods.end(), point.method) == methods.end()) return false;
    const auto& fractions = snapshot_.candidate_fractions;
    return whole || fractions.empty() || std::any_of(fractions.begin(), fractions.end(), [&](double fraction) {
             return same_fraction(fraction, point.removed_fraction);
           });
  }

 private:
  const Snapshot& snapshot_;
};

}  // namespace

PlanningProblem::PlanningProblem(const Snapshot& snapshot) : snapshot_(&snapshot), seconds_(snapshot.tiers.size()) {
  for (const TierState& tier : snapshot.tiers) budgets_.push_back(tier.budget_bytes);
  std::size_t most = snapshot.contexts.size();
  for (const ContextState& context : snapshot.contexts) most += context.profile ? context.profile->points.size() : 0;
  items_.reserve(snapshot.contexts.size());
  bytes_.reserve(most);
  quality_.reserve(most);
  points_.reserve(most);
  for (auto& seconds : seconds_) seconds.reserve(most);

  const double fallback = mean_uncompressed_quality(snapshot);
  const CandidateFilter filter(snapshot);
  for (const ContextState& context : snapshot.contexts) {
    PlanningItem item;
    item.first = static_cast<std::uint32_t>(bytes_.size());
    item.frequency = std::isfinite(context.frequency) ? std::max(context.frequency, 0.0) : 0.0;
    const Prediction prefilled = predict(snapshot, context, Configuration{}, fallback);
    item.prefill_quality = prefilled.quality;
    item.prefill_seconds = prefilled.ttft_seconds;
    item.quality_assumed = prefilled.quality_assumed;
    const bool placed = is_placed(snapshot, context);
    if (context.pinned) {
      item.fixed = true;
      if (placed) {
        item.fixed_tier = context.placement.tier;
        add_option(snapshot, context, nullptr, context.placement, fallback);
      }
    } else if (context.archived) {
      bool whole = false;
      if (context.profile)
        for (const ProfilePoint& point : context.profile->points) {
          if (!filter.allows(point)) continue;
          whole = whole || (point.method == "none" && same_fraction(point.removed_fraction, 0));
          add_option(snapshot, context, &point, {0, point.method, point.removed_fraction}, fallback);
        }
      if (!whole) add_option(snapshot, context, nullptr, {0, "none", 0}, fallback);
    } else if (placed) {
      add_option(snapshot, context, nullptr, context.placement, fallback);
    }
    item.count = static_cast<std::uint32_t>(bytes_.size()) - item.first;
    items_.push_back(item);
  }
}

void PlanningProblem::add_option(const Snapshot& snapshot, const ContextState& context, const ProfilePoint* point,
                                 const Configuration& configuration, double fallback_quality) {
  std::uint64_t bytes = 0;
  double quality = 0, kept = 0;
  const bool stored_so = context.placement.stored() && context.placement.method == configuration.method &&
                         same_fraction(context.placement.removed_fraction, configuration.removed_fraction);
  if (point != nullptr) {
    bytes = stored_so ? context.stored_bytes : point->bytes;
    quality = std::isfinite(point->quality) ? point->quality : 0.0;
    kept = point->kept_tokens;
    for (std::size_t t = 0; t < seconds_.size(); ++t) {
      const double seconds =
          snapshot.tiers[t].model.seconds(static_cast<double>(bytes), kept) + snapshot.question.seconds(kept);
      seconds_[t].push_back(finite_seconds(seconds));
    }
  } else {
    Configuration here = configuration;
    for (std::size_t t = 0; t < seconds_.size(); ++t) {
      here.tier = static_cast<int>(t);
      const Prediction prediction = predict(snapshot, context, here, fallback_quality);
      bytes = prediction.bytes;
      quality = prediction.quality;
      seconds_[t].push_back(prediction.ttft_seconds);
    }
  }
  bytes_.push_back(bytes);
  quality_.push_back(quality);
  points_.push_back(point);
  largest_bytes_ = std::max(largest_bytes_, bytes);
}

Configuration PlanningProblem::configuration(std::size_t item, std::size_t option, int tier) const {
  if (tier == not_stored) return {};
  if (const ProfilePoint* point = points_[option]) return {tier, point->method, point->removed_fraction};
  const ContextState& context = snapshot_->contexts[item];
  if (context.pinned || !context.archived) return {tier, context.placement.method, context.placement.removed_fraction};
  return {tier, "none", 0};
}

}  // namespace kvantage
