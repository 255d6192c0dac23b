// The cheapest plan that meets a target: a search over budgets of the tiers and over alphas, by what the policy
// predicts of its own plans. The cost of a plan is the sum over tiers of price * budget.
//
// Budgets are tried in ascending order of cost, so the first that meet the target are the cheapest of those given: no
// prediction is assumed to be monotone in budgets or alpha. Budgets within which no assignment can meet the target are
// ruled out without a plan. For prices p >= 0 per byte and weights a, b >= 0, every assignment within budgets B has
//     sum f * (a * quality - b * ttft)  <=  p * B + sum max over options of (f * (a * quality - b * ttft) - p * bytes)
// (the Lagrangian bound of lp_bound.h; f: frequency). The right side is linear in B: one sum over the contexts rules
// out any number of budgets, and with some budgets all smaller ones. A limit on the p95 is bounded alike, with 1 in
// place of a * quality - b * ttft where a context is fast enough, and 0 where it is not: at least 95 % of f must be.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/policy.h"

namespace kvantage::inline explain {

/// Which TTFT of a plan a target limits: the mean over requests, or what 95 % of them do not exceed by the predicted
/// TTFT of their contexts.
enum class TargetTtft { mean, p95 };

/// What a plan's predictions over requests must reach; nothing: any.
struct PlanTarget {
  std::optional<double> quality = {};       // the mean, at least
  std::optional<double> ttft_seconds = {};  // at most: without queueing
  TargetTtft ttft_of = TargetTtft::mean;
  bool any() const { return quality.has_value() || ttft_seconds.has_value(); }
  /// `ttft`: the one that is limited.
  bool is_met(double mean_quality, double ttft) const;
  /// 0 where it is met; else the sum of what is missing, each as a share of its limit.
  double miss(double mean_quality, double ttft) const;
  bool operator==(const PlanTarget&) const = default;
};

/// What is searched, and where.
struct TargetQuestion {
  Snapshot snapshot;   // as its plans are predicted: expected_demand() of the engine's
  std::string family;  // whose means must meet the target; empty: of all contexts
  PlanTarget target;
  std::vector<double> alphas;                       // ascending; all are tried with each budgets
  std::vector<std::vector<std::uint64_t>> budgets;  // those tried, by tier, ascending
  std::vector<double> prices;                       // of a GiB of budget, by tier
  std::uint64_t max_plans = 20'000;                 // at most so many are made
};

struct TargetPlan {
  double alpha = 0;
  std::vector<std::uint64_t> budgets;    // by tier
  double quality = 0, ttft_seconds = 0;  // predicted means
  double ttft_p95_seconds = 0;           // of requests, by the predicted TTFT of their contexts
  double cost = 0;
};

struct TargetAnswer {
  std::optional<TargetPlan> plan;     // the cheapest of those tried that meet the target; nothing: none does
  std::optional<TargetPlan> nearest;  // where none does: the one that misses it least
  std::uint64_t tried = 0;            // plans: budgets by alphas
  std::uint64_t ruled_out = 0;        // budgets within which nothing can meet it
  bool complete = true;               // false: max_plans were made, or the search was given up
};

/// Sum over tiers of price * GiB. A tier without a limit adds nothing: there is no budget to pay for.
double budget_cost(const std::vector<std::uint64_t>& budgets, const std::vector<double>& prices);

/// The predicted TTFT that `fraction` of the requests for contexts of the family (empty: all) do not exceed.
double predicted_ttft_percentile(const Plan& plan, const Snapshot& snapshot, const std::string& family,
                                 double fraction);

/// By cost, then by bytes. Of alphas that meet the target within the same budgets: with a quality to reach the fastest,
/// else the best. For policies that use alpha; without combinations of budgets, or with more than a million, nothing is
/// tried and the answer is not complete.
TargetAnswer find_target_plan(const TargetQuestion& question, const Policy& policy,
                              const std::function<bool()>& given_up = {});

/// The snapshot's budgets times powers of two, from 1/8 to 8 (fewer where there are more than four tiers), at most what
/// all contexts need uncompressed. A tier without a limit, or without a budget, keeps what it has.
std::vector<std::vector<std::uint64_t>> coarse_budgets(const Snapshot& snapshot);
/// Quarters of an octave (fewer where there are many tiers) above half of `found`, up to `found`.
std::vector<std::vector<std::uint64_t>> fine_budgets(const Snapshot& snapshot, const std::vector<std::uint64_t>& found);

/// find_target_plan() over coarse_budgets(), then over fine_budgets() of what that finds; `question.budgets` is not
/// used.
TargetAnswer solve_target(TargetQuestion question, const Policy& policy, const std::function<bool()>& given_up = {});

}  // namespace kvantage::inline explain
