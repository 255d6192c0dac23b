#include "core/policy/planning_problem.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

constexpr std::size_t contexts_worth_a_thread = 8192, max_threads = 8;

/// Calls `work` with ranges of so many contexts, each on a thread of its own where there are many.
template <class Work>
void in_runs(std::size_t count, Work work) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::clamp<std::size_t>(count / contexts_worth_a_thread, 1, std::min(cores, max_threads));
  const auto one_run = [&](std::size_t run) { work(count * run / threads, count * (run + 1) / threads); };
  std::vector<std::jthread> others;
  for (std::size_t run = 1; run < threads; ++run) others.emplace_back(one_run, run);
  one_run(0);
}

class CandidateFilter {
 public:
  explicit CandidateFilter(const Snapshot& snapshot) : snapshot_(snapshot) {}
  bool allows(const ProfilePoint& point) const {
    const bool whole = same_fraction(point.removed_fraction, 0);
    if (whole && point.method == "none") return true;
    const auto& methods = snapshot_.candidates.methods;
    if (!methods.empty() && std::find(methods.begin(), methods.end(), point.method) == methods.end()) return false;
    const auto& fractions = snapshot_.candidates.fractions;
    return whole || fractions.empty() || std::any_of(fractions.begin(), fractions.end(), [&](double fraction) {
             return same_fraction(fraction, point.removed_fraction);
           });
  }

 private:
  const Snapshot& snapshot_;
};

}  // namespace

PlanningProblem::PlanningProblem(const Snapshot& snapshot, QualityReading reading,
                                 std::shared_ptr<const Formula> formula)
    : snapshot_(&snapshot),
      reading_(snapshot.read_by(reading)),
      formula_(std::move(formula)),
      fallback_quality_(mean_uncompressed_quality(snapshot, reading)),
      seconds_(snapshot.tiers.size()) {
  for (const TierState& tier : snapshot.tiers) budgets_.push_back(tier.budget_bytes);
  const std::size_t count = snapshot.contexts.size();
  items_.resize(count);
  std::size_t room = 0;
  for (std::size_t i = 0; i < count; ++i) {
    items_[i].first = static_cast<std::uint32_t>(room);
    room += max_options(snapshot.contexts[i]);
  }
  reserve(room);
  // The position of an item's options is already fixed.
  in_runs(count, [&](std::size_t begin, std::size_t end) {
    Sorting sorting;
    for (std::size_t i = begin; i < end; ++i)
      items_[i] = flatten(snapshot, snapshot.contexts[i], items_[i].first, sorting);
  });
  for (const PlanningItem& item : items_) largest_bytes_ = std::max(largest_bytes_, largest_of(item));
}

void PlanningProblem::reserve(std::size_t options) {
  bytes_.resize(options);
  quality_.resize(options);
  points_.resize(options);
  for (auto& seconds : seconds_) seconds.resize(options);
}

void PlanningProblem::update(const Snapshot& snapshot, std::size_t index) {
  snapshot_ = &snapshot;
  if (index == items_.size()) items_.emplace_back();
  const PlanningItem before = items_[index];
  const bool was_largest = largest_of(before) == largest_bytes_;
  const std::size_t end = bytes_.size();
  reserve(end + max_options(snapshot.contexts[index]));
  PlanningItem item = flatten(snapshot, snapshot.contexts[index], end, sorting_);
  if (item.count <= before.count) {  // reuses its space; otherwise it goes to the end
    const auto move = [&](auto& values) {
      std::copy(values.begin() + item.first, values.begin() + item.first + item.count, values.begin() + before.first);
    };
    move(bytes_);
    move(quality_);
    move(points_);
    for (auto& seconds : seconds_) move(seconds);
    item.first = before.first;
    reserve(end);
  } else {
    reserve(end + item.count);
  }
  items_[index] = item;
  largest_bytes_ = std::max(largest_bytes_, largest_of(item));
  if (!was_largest || largest_of(item) == largest_bytes_) return;
  largest_bytes_ = 0;
  for (const PlanningItem& one : items_) largest_bytes_ = std::max(largest_bytes_, largest_of(one));
}

PlanningItem PlanningProblem::flatten(const Snapshot& snapshot, const ContextState& context, std::size_t first,
                                      Sorting& sorting) {
  PlanningItem item;
  item.first = static_cast<std::uint32_t>(first);
  item.frequency = std::isfinite(context.frequency) ? std::max(context.frequency, 0.0) / frequency_unit_ : 0.0;
  const bool has_frequency = formula_ && !formula_->scales_with_frequency();
  item.weight = !has_frequency ? item.frequency : item.frequency > 0 ? 1 : 0;
  const Prediction prefilled = predict(snapshot, context, Configuration{}, fallback_quality_, reading_);
  item.prefill_quality = prefilled.quality;
  item.prefill_seconds = prefilled.ttft_seconds;
  item.quality_assumed = prefilled.quality_assumed;
  const bool placed = is_placed(snapshot, context);
  const auto add = [&](const ProfilePoint* point) { write_option(snapshot, context, point, first + item.count++); };
  if (context.pinned) {
    item.fixed = true;
    if (placed) {
      item.fixed_tier = context.placement.tier;
      add(nullptr);
    }
  } else if (context.archived) {
    const CandidateFilter filter(snapshot);
    bool whole = false;
    if (context.profile)
      for (const ProfilePoint& point : context.profile->points) {
        if (!filter.allows(point)) continue;
        whole = whole || (point.method == "none" && same_fraction(point.removed_fraction, 0));
        add(&point);
      }
    if (!whole) add(nullptr);
  } else if (placed) {
    add(nullptr);
  }
  sort_by_bytes(item, sorting);
  return item;
}

void PlanningProblem::sort_by_bytes(const PlanningItem& item, Sorting& sorting) {
  const auto begin = bytes_.begin() + item.first;
  if (std::is_sorted(begin, begin + item.count)) return;
  auto& order = sorting.order;
  order.resize(item.count);
  for (std::uint32_t i = 0; i < item.count; ++i) order[i] = {bytes_[item.first + i], i};
  std::sort(order.begin(), order.end());
  const auto apply = [&](auto& values, auto& kept) {
    kept.assign(values.begin() + item.first, values.begin() + item.first + item.count);
    for (std::uint32_t i = 0; i < item.count; ++i) values[item.first + i] = kept[order[i].second];
  };
  for (std::uint32_t i = 0; i < item.count; ++i) bytes_[item.first + i] = order[i].first;
  apply(quality_, sorting.values);
  for (auto& seconds : seconds_) apply(seconds, sorting.values);
  apply(points_, sorting.points);
}

/// `point`: measured; none: as placed where it cannot be rebuilt, else uncompressed.
void PlanningProblem::write_option(const Snapshot& snapshot, const ContextState& context, const ProfilePoint* point,
                                   std::size_t option) {
  points_[option] = point;
  if (point == nullptr) {
    Configuration here = context.pinned || !context.archived ? context.placement : Configuration{};
    bytes_[option] = 0;
    quality_[option] = 0;
    for (std::size_t t = 0; t < seconds_.size(); ++t) {
      here.tier = static_cast<int>(t);
      const Prediction prediction = predict(snapshot, context, here, fallback_quality_, reading_);
      bytes_[option] = prediction.bytes;
      quality_[option] = prediction.quality;
      seconds_[t][option] = prediction.ttft_seconds;
    }
    return;
  }
  const bool stored_so = context.placement.stored() && context.placement.method == point->method &&
                         same_fraction(context.placement.removed_fraction, point->removed_fraction);
  FormOnTier form{.method = point->method,
                  .removed_fraction = point->removed_fraction,
                  .bytes = stored_so ? context.stored_bytes : point->bytes,
                  .kept_tokens = static_cast<double>(point->kept_tokens)};
  bytes_[option] = form.bytes;
  const double quality = point->estimate(reading_);
  quality_[option] = std::isfinite(quality) ? quality : 0.0;
  for (std::size_t t = 0; t < seconds_.size(); ++t) {
    form.tier = static_cast<int>(t);
    seconds_[t][option] = stored_ttft_seconds(snapshot, context, form);
  }
}

Configuration PlanningProblem::configuration(std::size_t item, std::size_t option, int tier) const {
  if (tier == not_stored) return {};
  if (const ProfilePoint* point = points_[option]) return {tier, point->method, point->removed_fraction};
  const ContextState& context = snapshot_->contexts[item];
  if (context.pinned || !context.archived) return {tier, context.placement.method, context.placement.removed_fraction};
  return {tier, "none", 0};
}

QuantityValues PlanningProblem::quantities_of(std::size_t item, std::size_t option, int tier, double alpha) const {
  const PlanningItem& planned = items_[item];
  const ContextState& context = snapshot_->contexts[item];
  FormOnTier form{.tier = tier};
  const Prediction unstored{.quality = planned.prefill_quality, .ttft_seconds = planned.prefill_seconds};
  Prediction here = unstored;
  if (tier != not_stored) {
    form.bytes = bytes_[option];
    form.kept_tokens = points_[option] != nullptr ? points_[option]->kept_tokens
                                                  : configuration_tokens(context, configuration(item, option, tier));
    here = {.quality = quality_[option], .ttft_seconds = seconds_[static_cast<std::size_t>(tier)][option]};
  }
  QuantityValues values = kvantage::quantities_of(*snapshot_, context, form, here, unstored);
  values[Quantity::alpha] = alpha;
  values[Quantity::frequency] = formula_ && formula_->scales_with_frequency() ? 1 : planned.frequency;
  return values;
}

void OptionValues::build(double alpha) {
  alpha_ = alpha;
  by_formula_.clear();
  prefill_by_formula_.clear();
  if (!problem_.formula()) return;
  reserve();
  in_runs(problem_.items().size(), [&](std::size_t begin, std::size_t end) {
    Formula::Evaluator evaluator(*problem_.formula());
    for (std::size_t i = begin; i < end; ++i) evaluate(evaluator, i);
  });
}

void OptionValues::update(std::size_t item) {
  if (!problem_.formula()) return;
  reserve();
  Formula::Evaluator evaluator(*problem_.formula());
  evaluate(evaluator, item);
}

void OptionValues::reserve() {
  by_formula_.resize(problem_.tiers());
  for (auto& values : by_formula_) values.resize(problem_.options());
  prefill_by_formula_.resize(problem_.items().size());
}

void OptionValues::evaluate(Formula::Evaluator& evaluate, std::size_t index) {
  const PlanningItem& item = problem_.items()[index];
  prefill_by_formula_[index] = comparable_value(evaluate(problem_.quantities_of(index, 0, not_stored, alpha_)));
  for (std::size_t t = 0; t < by_formula_.size(); ++t)
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      by_formula_[t][o] = comparable_value(evaluate(problem_.quantities_of(index, o, static_cast<int>(t), alpha_)));
}

}  // namespace kvantage::inline policy
