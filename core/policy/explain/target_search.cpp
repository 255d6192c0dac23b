#include "core/policy/explain/target_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/policy/explain/target_cuts.h"

namespace kvantage::inline explain {

namespace {

using GivenUp = TargetCuts::GivenUp;

constexpr double target_gibibyte = 1073741824.0;
constexpr double max_combinations = 3000;  // of the budgets of one search

struct TargetMeans {
  double quality = 0, ttft_seconds = 0;
};

TargetMeans means_of_family(const Plan& plan, const Snapshot& snapshot, const std::string& family) {
  TargetMeans means;
  double weight = 0;
  for (std::size_t i = 0; i < plan.contexts.size() && i < snapshot.contexts.size(); ++i) {
    if (!counts_in(family, snapshot.contexts[i])) continue;
    const double frequency = snapshot.contexts[i].frequency;
    weight += frequency;
    means.quality += frequency * plan.contexts[i].quality;
    means.ttft_seconds += frequency * plan.contexts[i].ttft_seconds;
  }
  if (weight > 0) {
    means.quality /= weight;
    means.ttft_seconds /= weight;
  }
  return means;
}

/// One combination of budgets.
struct PricedBudgets {
  TierBudgets budgets;
  double cost = 0, bytes = 0;  // without tiers that have no limit
};

/// All combinations, the cheapest first; none where they are more than a million.
std::vector<PricedBudgets> priced_budgets(const TargetQuestion& question) {
  constexpr std::size_t million = 1'000'000;
  std::size_t count = 1;
  for (const TierBudgets& tier : question.budgets) {
    count *= tier.size();
    if (count == 0 || count > million) return {};
  }
  std::vector<PricedBudgets> all;
  all.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    PricedBudgets one;
    one.budgets.reserve(question.budgets.size());
    std::size_t rest = n;
    for (const TierBudgets& tier : question.budgets) {
      one.budgets.push_back(tier[rest % tier.size()]);
      rest /= tier.size();
      if (one.budgets.back() != no_budget_limit) one.bytes += static_cast<double>(one.budgets.back());
    }
    one.cost = budget_cost(one.budgets, question.prices);
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const PricedBudgets& a, const PricedBudgets& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.bytes < b.bytes;
  });
  return all;
}

class TargetSearch {
 public:
  TargetSearch(const TargetQuestion& question, const Policy& policy, const GivenUp& given_up)
      : question_(question), policy_(policy), given_up_(given_up), snapshot_(question.snapshot) {}

  TargetAnswer run() {
    const std::vector<PricedBudgets> all = priced_budgets(question_);
    if (all.empty() || question_.budgets.size() != snapshot_.tiers.size() || question_.alphas.empty()) {
      answer_.complete = false;
      return answer_;
    }
    const TargetCuts cuts(question_, policy_.quality_reading(), given_up_);
    const PricedBudgets* largest = &*std::max_element(
        all.begin(), all.end(), [](const PricedBudgets& a, const PricedBudgets& b) { return a.bytes < b.bytes; });
    bool largest_tried = false;
    for (const PricedBudgets& priced : all) {
      if (answer_.plan || !answer_.complete) break;
      if (cuts.rules_out(priced.budgets)) {
        ++answer_.ruled_out;
        continue;
      }
      try_budgets(priced);
      largest_tried = largest_tried || &priced == largest;
    }
    // Something can be said of a target that nothing meets.
    if (!answer_.plan && answer_.complete && !largest_tried) try_budgets(*largest);
    if (answer_.plan) answer_.nearest.reset();
    for (auto* found : {&answer_.plan, &answer_.nearest})
      if (*found) (*found)->ttft_p95_seconds = p95_of(**found);
    return answer_;
  }

 private:
  /// With every alpha.
  void try_budgets(const PricedBudgets& priced) {
    if (answer_.tried + question_.alphas.size() > question_.max_plans) {
      answer_.complete = false;
      return;
    }
    for (std::size_t t = 0; t < snapshot_.tiers.size(); ++t) snapshot_.tiers[t].budget_bytes = priced.budgets[t];
    std::unique_ptr<AlphaPlanner> planner;  // tells means alone
    const bool p95 = limits_p95();
    if (question_.family.empty() && !p95) planner = policy_.alpha_planner(snapshot_);
    for (const double alpha : question_.alphas) {
      if (given_up_ && given_up_()) {
        answer_.complete = false;
        return;
      }
      TargetMeans means;
      double p95_seconds = 0;
      if (planner) {
        const FrontierPoint point = planner->at(alpha);
        means = {point.mean_quality, point.mean_ttft_seconds};
      } else {
        snapshot_.alpha = alpha;
        const Plan plan = policy_.plan(snapshot_);
        means = means_of_family(plan, snapshot_, question_.family);
        if (p95) p95_seconds = predicted_ttft_percentile(plan, snapshot_, question_.family, target_p95);
      }
      ++answer_.tried;
      note({alpha, priced.budgets, means.quality, means.ttft_seconds, p95_seconds, priced.cost});
    }
  }

  bool limits_p95() const { return question_.target.ttft_seconds && question_.target.ttft_of == TargetTtft::p95; }

  void note(TargetPlan plan) {
    const PlanTarget& target = question_.target;
    const auto limited = [p95 = limits_p95()](const TargetPlan& of) {
      return p95 ? of.ttft_p95_seconds : of.ttft_seconds;
    };
    if (target.is_met(plan.quality, limited(plan))) {
      const auto better = [&target, &limited](const TargetPlan& a, const TargetPlan& b) {
        return target.quality ? limited(a) < limited(b) : a.quality > b.quality;
      };
      if (!answer_.plan || better(plan, *answer_.plan)) answer_.plan = std::move(plan);
      return;
    }
    const double miss = target.miss(plan.quality, limited(plan));
    if (answer_.nearest && miss >= nearest_miss_) return;
    nearest_miss_ = miss;
    answer_.nearest = std::move(plan);
  }

  double p95_of(const TargetPlan& found) {
    for (std::size_t t = 0; t < snapshot_.tiers.size(); ++t) snapshot_.tiers[t].budget_bytes = found.budgets[t];
    snapshot_.alpha = found.alpha;
    return predicted_ttft_percentile(policy_.plan(snapshot_), snapshot_, question_.family, target_p95);
  }

  const TargetQuestion& question_;
  const Policy& policy_;
  const GivenUp& given_up_;
  Snapshot snapshot_;  // with the budgets that are tried
  TargetAnswer answer_;
  double nearest_miss_ = 0;
};

bool is_searched(const TierState& tier) { return tier.budget_bytes > 0 && tier.budget_bytes != no_budget_limit; }

double searched_tiers(const Snapshot& snapshot) {
  return static_cast<double>(std::count_if(snapshot.tiers.begin(), snapshot.tiers.end(), is_searched));
}

/// `base`, at most what all contexts need, times 2^(step / per_octave) for the steps: ascending and each once.
TierBudgets budget_steps(const Snapshot& snapshot, std::uint64_t base, int from, int to, int per_octave) {
  double whole = 0;
  for (const ContextState& context : snapshot.contexts) whole += static_cast<double>(context.full_bytes);
  const double start = whole > 0 ? std::min(static_cast<double>(base), whole) : static_cast<double>(base);
  TierBudgets steps;
  steps.reserve(static_cast<std::size_t>(to - from + 1));
  for (int step = from; step <= to; ++step) {
    const double wanted = start * std::exp2(static_cast<double>(step) / per_octave);
    const double bytes = std::max(1.0, whole > 0 ? std::min(wanted, whole) : wanted);
    steps.push_back(static_cast<std::uint64_t>(std::llround(bytes)));
  }
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

bool PlanTarget::is_met(double mean_quality, double ttft) const {
  return (!quality || mean_quality >= *quality) && (!ttft_seconds || ttft <= *ttft_seconds);
}

double PlanTarget::miss(double mean_quality, double ttft) const {
  constexpr double tiny = 1e-12;
  double missing = 0;
  if (quality) missing += std::max(0.0, *quality - mean_quality) / std::max(*quality, tiny);
  if (ttft_seconds) missing += std::max(0.0, ttft - *ttft_seconds) / std::max(*ttft_seconds, tiny);
  return missing;
}

double budget_cost(const std::vector<std::uint64_t>& budgets, const std::vector<double>& prices) {
  double cost = 0;
  for (std::size_t t = 0; t < budgets.size() && t < prices.size(); ++t)
    if (budgets[t] != no_budget_limit) cost += prices[t] * (static_cast<double>(budgets[t]) / target_gibibyte);
  return cost;
}

double predicted_ttft_percentile(const Plan& plan, const Snapshot& snapshot, const std::string& family,
                                 double fraction) {
  std::vector<std::pair<double, double>> weighted;  // seconds, requests
  weighted.reserve(plan.contexts.size());
  double total = 0;
  for (std::size_t i = 0; i < plan.contexts.size() && i < snapshot.contexts.size(); ++i) {
    if (!counts_in(family, snapshot.contexts[i])) continue;
    weighted.emplace_back(plan.contexts[i].ttft_seconds, std::max(0.0, snapshot.contexts[i].frequency));
    total += weighted.back().second;
  }
  if (weighted.empty()) return 0;
  if (!(total > 0)) {
    for (auto& [seconds, weight] : weighted) weight = 1;
    total = static_cast<double>(weighted.size());
  }
  std::sort(weighted.begin(), weighted.end());
  constexpr double rounding = 1e-12;
  double below = 0;
  for (const auto& [seconds, weight] : weighted) {
    below += weight;
    if (below >= (fraction - rounding) * total) return seconds;
  }
  return weighted.back().first;
}

TargetAnswer find_target_plan(const TargetQuestion& question, const Policy& policy, const GivenUp& given_up) {
  return TargetSearch(question, policy, given_up).run();
}

std::vector<TierBudgets> coarse_budgets(const Snapshot& snapshot) {
  int octaves = 3;
  while (octaves > 0 && std::pow(2 * octaves + 1, searched_tiers(snapshot)) > max_combinations) --octaves;
  std::vector<TierBudgets> budgets;
  budgets.reserve(snapshot.tiers.size());
  for (const TierState& tier : snapshot.tiers)
    budgets.push_back(is_searched(tier) ? budget_steps(snapshot, tier.budget_bytes, -octaves, octaves, 1)
                                        : TierBudgets{tier.budget_bytes});
  return budgets;
}

std::vector<TierBudgets> fine_budgets(const Snapshot& snapshot, const TierBudgets& found) {
  int per_octave = 4;
  while (per_octave > 1 && std::pow(per_octave, searched_tiers(snapshot)) > max_combinations) per_octave /= 2;
  std::vector<TierBudgets> budgets;
  budgets.reserve(snapshot.tiers.size());
  for (std::size_t t = 0; t < snapshot.tiers.size(); ++t)
    budgets.push_back(is_searched(snapshot.tiers[t]) ? budget_steps(snapshot, found[t], 1 - per_octave, 0, per_octave)
                                                     : TierBudgets{found[t]});
  return budgets;
}

TargetAnswer solve_target(TargetQuestion question, const Policy& policy, const GivenUp& given_up) {
  question.budgets = coarse_budgets(question.snapshot);
  const TargetAnswer coarse = find_target_plan(question, policy, given_up);
  if (!coarse.plan || !coarse.complete) return coarse;
  question.budgets = fine_budgets(question.snapshot, coarse.plan->budgets);
  question.max_plans -= std::min(question.max_plans, coarse.tried);
  TargetAnswer fine = find_target_plan(question, policy, given_up);
  fine.tried += coarse.tried;
  fine.ruled_out += coarse.ruled_out;
  if (fine.plan) return fine;
  fine.plan = coarse.plan;  // the search ended early
  fine.nearest.reset();
  return fine;
}

}  // namespace kvantage::inline explain
