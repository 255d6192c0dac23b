#include "core/policy/min_drop_solver.h"

#include <cmath>
#include <limits>
#include <memory>

#include "core/policy/lp_bound.h"
#include "core/policy/min_drop_plan.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

void attempt_plans(const PlanningProblem& problem, double alpha, const PlanRules& rules,
                   const std::function<void(std::unique_ptr<MinDropPlan>)>& take) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  const std::vector<double> prices = rules.lp_prices ? lp_prices(problem, alpha) : std::vector<double>{};
  const auto attempt = [&](bool per_byte, bool fitting, std::uint64_t limit) {
    take(std::make_unique<MinDropPlan>(problem, alpha, rules.start, per_byte, fitting, limit, prices));
  };
  if (rules.drop != DropMeasure::best) return attempt(rules.drop == DropMeasure::per_byte, true, no_limit);
  const bool promises =
      rules.start == PlanStart::utility && !rules.lp_prices;  // guarantees that a larger budget never lowers the total
  for (const bool per_byte : {false, true}) {
    if (!promises) attempt(per_byte, true, no_limit);
    attempt(per_byte, false, no_limit);
    for (int quarters = 1; quarters <= best_quarter_octaves; ++quarters) {
      const double share = std::exp2(-0.25 * quarters);
      attempt(per_byte, false, static_cast<std::uint64_t>(static_cast<double>(problem.largest_option_bytes()) * share));
    }
  }
}

Assignment solve(const PlanningProblem& problem, double alpha, const PlanRules& rules, bool explained) {
  std::unique_ptr<MinDropPlan> best;
  double best_utility = 0;  // by what is planned
  attempt_plans(problem, alpha, rules, [&](std::unique_ptr<MinDropPlan> plan) {
    const double total = plan->total_utility();
    if (best != nullptr && total <= best_utility) return;
    best = std::move(plan);
    best_utility = total;
  });
  Assignment assignment;
  assignment.total_utility = best_utility;
  assignment.steps = best->steps();
  assignment.choices.reserve(problem.items().size());
  for (std::size_t i = 0; i < problem.items().size(); ++i)
    assignment.choices.push_back(explained ? best->explained_choice(i) : best->choice(i));
  if (!problem.formula()) return assignment;
  assignment.total_utility = 0;
  for (std::size_t i = 0; i < problem.items().size(); ++i) {
    const PlanningItem& item = problem.items()[i];
    const ChoiceValue value = value_of(problem, item, assignment.choices[i]);
    assignment.total_utility += utility(alpha, value.quality, value.ttft_seconds, item.frequency);
  }
  return assignment;
}

FrontierPoint summary(const PlanningProblem& problem, double alpha, const Assignment& assignment) {
  FrontierPoint point{alpha, 0, 0, assignment.total_utility};
  double total_frequency = 0;
  for (const PlanningItem& item : problem.items()) total_frequency += item.frequency;
  double weights = 0;
  for (std::size_t i = 0; i < assignment.choices.size(); ++i) {
    const PlanningItem& item = problem.items()[i];
    const double weight = total_frequency > 0 ? item.frequency : 1;  // equal weights before the first request
    const ChoiceValue value = value_of(problem, item, assignment.choices[i]);
    weights += weight;
    point.mean_quality += weight * value.quality;
    point.mean_ttft_seconds += weight * value.ttft_seconds;
  }
  if (weights > 0) {
    point.mean_quality /= weights;
    point.mean_ttft_seconds /= weights;
  }
  return point;
}

ChoiceValue value_of(const PlanningProblem& problem, const PlanningItem& item, const PlanChoice& choice) {
  if (choice.tier == not_stored) return {item.prefill_quality, item.prefill_seconds};
  return {problem.quality(choice.option), problem.ttft_seconds(choice.option, static_cast<std::size_t>(choice.tier))};
}

}  // namespace kvantage::inline policy
