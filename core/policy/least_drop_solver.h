// The greedy of EvicPress (section 4.4, appendix A). Each context starts at its unconstrained best configuration. Then,
// from the fastest tier down: while the tier is above its budget, take the step with the least drop of utility among
// {compress more in place, move to any lower tier at any method and fraction, evict}, options that free no byte of the
// full tier left out. What moved down meets the same treatment there.
//
// Entries larger than a tier are left out there (`fitting`): to start in a place that cannot be kept would only push
// out those that fit.
//
// More budget never lowers the total utility (start=utility) for as long as no entry begins to fit. Each context
// follows its own chain of configurations: which step comes next, and its place in the queue, depend on the context
// alone, never on a budget; utility never rises along a chain, bytes on a tier only shrink, and no step leads up. A
// larger budget stops the same merged queue of chains earlier, hands a subset of the same arrivals to the next tier,
// and so leaves every context at the same or an earlier place of its chain. An entry that begins to fit has a longer
// chain, and may take the room of many. drop=best promises it for every budget: the maximum over a fixed set of
// greedies, limits on entries' sizes that no budget moves in place of what fits. Filling left-over room afterwards
// would break it, and so do start=quality and prices, under which drop=best considers what fits, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/policy/planning_problem.h"
#include "core/policy/policy.h"

namespace kvantage {

enum class PlanStart : std::uint8_t {
  utility,  // argmax of utility, section 4.4
  quality,  // argmax of quality, algorithm 1; then a larger budget may mean better answers that come later
};
enum class DropMeasure : std::uint8_t {
  absolute,  // least drop of utility, as the paper says
  per_byte,  // least drop per byte freed, as the paper's code does
  best,      // the best of both over limits on entries' sizes: none, and quarter octaves below the largest
};
inline constexpr int best_quarter_octaves = 20;  // down to 1/32
struct PlanRules {
  PlanStart start = PlanStart::utility;
  DropMeasure drop = DropMeasure::absolute;
  // Room on lower tiers is charged at the prices of the linear relaxation (lp_bound.h) when a way out is chosen: the
  // greedy above does not see that it will be scarce. Not the paper's; and more budget may then lower the total.
  bool lp_prices = false;
  bool operator==(const PlanRules&) const = default;
};

/// What was decided for one context, and which step was spared: had this context stayed, the next one on its full tier.
struct PlanChoice {
  int tier = not_stored;
  std::uint32_t option = 0;
  int full_tier = not_stored;  // the tier that made the last step necessary; not_stored = no step was taken
  double utility_drop = 0;     // of the last step
  int rival_item = -1;
  int rival_tier = not_stored;
  std::uint32_t rival_option = 0;
  double rival_drop = 0;
};

struct Assignment {
  std::vector<PlanChoice> choices;  // parallel to the problem's items
  double total_utility = 0;
  std::uint64_t steps = 0;
};

class LeastDropPlan;
/// The plans that the rules choose the best of, one after the other: of equal ones the first.
void attempt_plans(const PlanningProblem& problem, double alpha, const PlanRules& rules,
                   const std::function<void(std::unique_ptr<LeastDropPlan>)>& take);

/// `explained`: with the drops and rivals of the choices, which a total does not need.
Assignment solve(const PlanningProblem& problem, double alpha, const PlanRules& rules, bool explained = true);

/// Quality, TTFT and utility per unit of frequency of a choice.
struct ChoiceValue {
  double quality = 0, ttft_seconds = 0;
};
ChoiceValue value_of(const PlanningProblem& problem, const PlanningItem& item, const PlanChoice& choice);

/// The assignment's totals alone.
FrontierPoint summary(const PlanningProblem& problem, double alpha, const Assignment& assignment);

/// The assignment in words and figures, parallel to the contexts of `snapshot`, which the problem was made from.
Plan describe(const Snapshot& snapshot, const PlanningProblem& problem, double alpha, const Assignment& assignment);

}  // namespace kvantage
