#include "core/policy/live_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

constexpr double same_frequency = 1e-9;        // relative: rounding error of a common factor
constexpr double largest_unit = 1e9;           // or its inverse: beyond that, the plan is rebuilt in a new unit
constexpr std::size_t worth_it = 8;            // incremental updates pay for at most 1/8 of the contexts
constexpr std::size_t max_places = 2'000'000;  // cached, over all attempts; beyond, only the best attempt is

bool same_model(const TierState& a, const TierState& b) {
  return a.model.latency_seconds == b.model.latency_seconds && a.model.bytes_per_second == b.model.bytes_per_second &&
         a.model.decode_seconds_per_token == b.model.decode_seconds_per_token;
}

bool same_costs(const Snapshot& a, const Snapshot& b) {
  return a.prefill.base_seconds == b.prefill.base_seconds &&
         a.prefill.seconds_per_token == b.prefill.seconds_per_token &&
         a.prefill.seconds_per_token_squared == b.prefill.seconds_per_token_squared && a.question == b.question &&
         std::ranges::equal(a.tiers, b.tiers, same_model) && a.codec_costs == b.codec_costs;
}

/// The decay factor of frequencies without a request in between; 1 where none is known.
template <class Seen>
double common_factor(const Snapshot& snapshot, const std::vector<Seen>& seen) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i].frequency > 0 && snapshot.contexts[i].frequency > 0)
      least = std::min(least, snapshot.contexts[i].frequency / seen[i].frequency);
  return std::isfinite(least) ? least : 1;
}

}  // namespace

bool LivePlan::same_world(const Snapshot& snapshot) const {
  return problem_ && snapshot.contexts.size() == keys_.size() && same_costs(snapshot, world_) &&
         snapshot.candidates == world_.candidates && mean_uncompressed_quality(snapshot) == fallback_quality_ &&
         std::ranges::equal(snapshot.contexts, keys_, {}, &ContextState::key);
}

LivePlan::Seen LivePlan::seen_of(const ContextState& context) {
  return {context.profile,   context.placement, context.stored_bytes,
          context.frequency, context.pinned,    context.archived};
}

bool LivePlan::seen(const ContextState& context, const Seen& before, double faded) const {
  return context.profile == before.profile && context.placement == before.placement &&
         context.stored_bytes == before.stored_bytes && context.pinned == before.pinned &&
         context.archived == before.archived &&
         std::fabs(context.frequency - before.frequency * faded) <= same_frequency * std::fabs(context.frequency);
}

void LivePlan::build(const Snapshot& snapshot) {
  ++from_scratch_;
  attempts_.clear();
  world_ = {};
  world_.alpha = snapshot.alpha;
  world_.tiers = snapshot.tiers;
  world_.prefill = snapshot.prefill;
  world_.question = snapshot.question;
  world_.codec_costs = snapshot.codec_costs;
  world_.candidates = snapshot.candidates;
  fallback_quality_ = mean_uncompressed_quality(snapshot);
  keys_.clear();
  seen_.clear();
  for (const ContextState& context : snapshot.contexts) {
    keys_.push_back(context.key);
    seen_.push_back(seen_of(context));
  }
  problem_.emplace(snapshot, rules_.quality, rules_.formula);
  largest_bytes_ = problem_->largest_option_bytes();
  options_ = problem_->options();
  followed_since_ = 0;
  const bool scales = !rules_.formula || rules_.formula->scales_with_frequency();
  follows_ = !rules_.lp_prices && scales &&
             (rules_.drop != DropMeasure::best || keys_.size() <= max_places / (2 * (best_quarter_octaves + 2)));
  double best = 0;
  attempt_plans(*problem_, snapshot.alpha, rules_, [&](std::unique_ptr<MinDropPlan> plan) {
    const double total = rules_.drop == DropMeasure::best ? plan->total_utility() : 0;
    const bool better = attempts_.empty() || total > best;
    if (better) best = total;
    if (follows_ || attempts_.empty())
      attempts_.push_back(std::move(plan));
    else if (better)
      attempts_.front() = std::move(plan);
    if (better) best_ = attempts_.size() - 1;
  });
}

void LivePlan::choose() {
  best_ = 0;
  if (attempts_.size() == 1) return;
  std::vector<double> totals;
  totals.reserve(attempts_.size());
  for (const auto& attempt : attempts_) totals.push_back(attempt->total_utility());
  best_ = static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
}

void LivePlan::follow(const Snapshot& snapshot) {
  if (!follows_ || !same_world(snapshot)) return build(snapshot);
  const double faded = common_factor(snapshot, seen_);
  const double unit = problem_->frequency_unit() * faded;
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (!seen(snapshot.contexts[i], seen_[i], faded)) changed.push_back(i);
  const bool many = changed.size() * worth_it > seen_.size() + worth_it;
  // Changes leave stale options and heap entries behind: rebuild from time to time.
  const bool littered = problem_->options() > 2 * options_ + 1000 || followed_since_ > 8 * seen_.size() + 1000;
  if (many || littered || !(unit > 1 / largest_unit) || unit > largest_unit) return build(snapshot);
  problem_->look_at(snapshot, unit);
  const bool alpha = snapshot.alpha != world_.alpha;  // then re-plan everything after the other changes
  bool budgets = false;
  for (std::size_t t = 0; t < snapshot.tiers.size(); ++t) {
    if (snapshot.tiers[t].budget_bytes == problem_->budget(t)) continue;
    problem_->set_budget(t, snapshot.tiers[t].budget_bytes);
    budgets = true;
  }
  if (budgets && !alpha)
    for (auto& attempt : attempts_) attempt->budgets_changed();
  for (const std::size_t i : changed) {  // one by one: a plan tracks one change of the problem at a time
    problem_->update(snapshot, i);
    if (problem_->largest_option_bytes() != largest_bytes_) return build(snapshot);
    for (auto& attempt : attempts_)
      if (!alpha) attempt->item_changed(i);
  }
  if (alpha)
    for (auto& attempt : attempts_) attempt->set_alpha(snapshot.alpha);
  followed_ += changed.size();
  followed_since_ += changed.size();
  world_.alpha = snapshot.alpha;
  for (std::size_t i = 0; i < seen_.size(); ++i) seen_[i].frequency = snapshot.contexts[i].frequency;
  for (const std::size_t i : changed) seen_[i] = seen_of(snapshot.contexts[i]);
  choose();
}

std::vector<Target> LivePlan::targets(const Snapshot& snapshot) const {
  const MinDropPlan& plan = *attempts_[best_];
  const double unit = problem_->frequency_unit();
  std::vector<Target> targets;
  targets.reserve(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    PlanChoice choice = plan.choice(i);
    Target target{problem_->configuration(i, choice.option, choice.tier),
                  choice.tier == not_stored ? 0 : problem_->bytes(choice.option),
                  0,
                  {}};
    if (!(target.configuration == snapshot.contexts[i].placement)) {
      choice = plan.explained_choice(i);
      choice.utility_drop *= unit;
      choice.rival_drop *= unit;
      target.utility_drop = choice.utility_drop;
      target.reason = reason_for(snapshot, *problem_, i, choice);
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

FrontierPoint LivePlan::prediction(const Snapshot& snapshot) const {
  const MinDropPlan& plan = *attempts_[best_];
  FrontierPoint sum{snapshot.alpha, 0, 0, 0};
  // The problem's own frequencies use another unit.
  const auto frequency_of = [&](std::size_t i) {
    const double frequency = snapshot.contexts[i].frequency;
    return std::isfinite(frequency) ? std::max(frequency, 0.0) : 0.0;
  };
  double total_frequency = 0, weights = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) total_frequency += frequency_of(i);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const ChoiceValue value = value_of(*problem_, problem_->items()[i], plan.choice(i));
    const double frequency = frequency_of(i);
    const double weight = total_frequency > 0 ? frequency : 1;  // equal weights before the first request
    weights += weight;
    sum.mean_quality += weight * value.quality;
    sum.mean_ttft_seconds += weight * value.ttft_seconds;
    sum.utility += utility(snapshot.alpha, value.quality, value.ttft_seconds, frequency);
  }
  if (weights > 0) {
    sum.mean_quality /= weights;
    sum.mean_ttft_seconds /= weights;
  }
  return sum;
}

std::shared_ptr<LivePlan> take_live_plan(PolicyState& state, const PlanRules& rules) {
  auto memory = std::dynamic_pointer_cast<LivePlan>(std::exchange(state.memory, nullptr));
  if (!memory || memory->rules() != rules || memory.use_count() != 1) return std::make_shared<LivePlan>(rules);
  return memory;
}

}  // namespace kvantage::inline policy
