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

PlanningProblem::PlanningProblem(const Snapshot& snapshot)
    : snapshot_(&snapshot), fallback_quality_(mean_uncompressed_quality(snapshot)), seconds_(snapshot.tiers.size()) {
  for (const TierState& tier : snapshot.tiers) budgets_.push_back(tier.budget_bytes);
  std::size_t most = snapshot.contexts.size();
  for (const ContextState& context : snapshot.contexts) most += context.profile ? context.profile->points.size() : 0;
  items_.reserve(snapshot.contexts.size());
  bytes_.reserve(most);
  quality_.reserve(most);
  points_.reserve(most);
  for (auto& seconds : seconds_) seconds.reserve(most);
  for (const ContextState& context : snapshot.contexts) items_.push_back(flatten(snapshot, context));
}

void PlanningProblem::update(const Snapshot& snapshot, std::size_t index) {
  snapshot_ = &snapshot;
  if (index == items_.size()) items_.emplace_back();
  const PlanningItem before = items_[index];
  const bool was_largest = largest_of(before) == largest_bytes_;
  PlanningItem item = flatten(snapshot, snapshot.contexts[index]);
  if (item.count <= before.count) {  // takes the room it had; else it stays behind all others
    const auto move = [&](auto& values) {
      std::copy(values.begin() + item.first, values.begin() + item.first + item.count, values.begin() + before.first);
      values.resize(item.first);
    };
    move(bytes_);
    move(quality_);
    move(points_);
    for (auto& seconds : seconds_) move(seconds);
    item.first = before.first;
  }
  items_[index] = item;
  if (!was_largest || largest_of(item) == largest_bytes_) return;
  largest_bytes_ = 0;
  for (const PlanningItem& one : items_) largest_bytes_ = std::max(largest_bytes_, largest_of(one));
}

PlanningItem PlanningProblem::flatten(const Snapshot& snapshot, const ContextState& context) {
  PlanningItem item;
  item.first = static_cast<std::uint32_t>(bytes_.size());
  item.frequency = std::isfinite(context.frequency) ? std::max(context.frequency, 0.0) / frequency_unit_ : 0.0;
  const Prediction prefilled = predict(snapshot, context, Configuration{}, fallback_quality_);
  item.prefill_quality = prefilled.quality;
  item.prefill_seconds = prefilled.ttft_seconds;
  item.quality_assumed = prefilled.quality_assumed;
  const bool placed = is_placed(snapshot, context);
  if (context.pinned) {
    item.fixed = true;
    if (placed) {
      item.fixed_tier = context.placement.tier;
      add_option(snapshot, context, nullptr, context.placement);
    }
  } else if (context.archived) {
    const CandidateFilter filter(snapshot);
    bool whole = false;
    if (context.profile)
      for (const ProfilePoint& point : context.profile->points) {
        if (!filter.allows(point)) continue;
        whole = whole || (point.method == "none" && same_fraction(point.removed_fraction, 0));
        add_option(snapshot, context, &point, {0, point.method, point.removed_fraction});
      }
    if (!whole) add_option(snapshot, context, nullptr, {0, "none", 0});
  } else if (placed) {
    add_option(snapshot, context, nullptr, context.placement);
  }
  item.count = static_cast<std::uint32_t>(bytes_.size()) - item.first;
  sort_by_bytes(item);
  return item;
}

void PlanningProblem::sort_by_bytes(const PlanningItem& item) {
  if (std::is_sorted(bytes_.begin() + item.first, bytes_.end())) return;
  order_.resize(item.count);
  for (std::uint32_t i = 0; i < item.count; ++i) order_[i] = {bytes_[item.first + i], i};
  std::sort(order_.begin(), order_.end());
  const auto apply = [&](auto& values, auto& kept) {
    kept.assign(values.begin() + item.first, values.end());
    for (std::uint32_t i = 0; i < item.count; ++i) values[item.first + i] = kept[order_[i].second];
  };
  for (std::uint32_t i = 0; i < item.count; ++i) bytes_[item.first + i] = order_[i].first;
  apply(quality_, kept_values_);
  for (auto& seconds : seconds_) apply(seconds, kept_values_);
  apply(points_, kept_points_);
}

void PlanningProblem::add_option(const Snapshot& snapshot, const ContextState& context, const ProfilePoint* point,
                                 const Configuration& configuration) {
  std::uint64_t bytes = 0;
  double quality = 0, kept = 0;
  const bool stored_so = context.placement.stored() && context.placement.method == configuration.method &&
                         same_fraction(context.placement.removed_fraction, configuration.removed_fraction);
  if (point != nullptr) {
    bytes = stored_so ? context.stored_bytes : point->bytes;
    quality = std::isfinite(point->estimate()) ? point->estimate() : 0.0;
    kept = point->kept_tokens;
    double question = snapshot.question.seconds(kept);
    for (const CodecCost& cost : snapshot.codec_costs)
      if (cost.method == configuration.method) question += cost.seconds_per_token * kept;
    for (std::size_t t = 0; t < seconds_.size(); ++t)
      seconds_[t].push_back(
          finite_seconds(snapshot.tiers[t].model.seconds(static_cast<double>(bytes), kept) + question));
  } else {
    Configuration here = configuration;
    for (std::size_t t = 0; t < seconds_.size(); ++t) {
      here.tier = static_cast<int>(t);
      const Prediction prediction = predict(snapshot, context, here, fallback_quality_);
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
