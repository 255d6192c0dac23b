#include <algorithm>

#include "core/policy/exact_search.h"
#include "core/policy/live_plan.h"
#include "core/policy/plan_text.h"
#include "core/policy/policies.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

/// The optimum where it can be proven, else the best known assignment; every reason then says so.
class Optimal final : public Policy {
 public:
  Optimal(std::string name, std::uint64_t replan_requests)
      : name_(std::move(name)), replan_requests_(replan_requests) {}

  std::string name() const override { return name_; }
  bool uses_alpha() const override { return true; }
  bool is_planner() const override { return true; }
  Configuration admission(const ContextState&) const override { return {0, "none", 0}; }

  Plan plan(const Snapshot& snapshot) const override {
    const PlanningProblem problem(snapshot);
    const SearchResult found = search_optimum(problem, snapshot.alpha);
    Plan plan = describe(snapshot, problem, snapshot.alpha, found.assignment);
    plan.upper_bound = found.proven ? plan.total_utility : found.upper_bound;
    for (std::size_t i = 0; i < plan.contexts.size(); ++i) explain(snapshot, problem, i, found, plan.contexts[i]);
    return plan;
  }

  PolicyStep step(const PolicyState& state, const PolicyEvent& event) const override {
    if (!time_to_plan(state.snapshot, event, replan_requests_)) return {};
    return step_to(state.snapshot, plan(state.snapshot));
  }

 private:
  static void explain(const Snapshot& snapshot, const PlanningProblem& problem, std::size_t index,
                      const SearchResult& found, PlannedContext& planned) {
    const PlanningItem& item = problem.items()[index];
    if (!item.fixed && item.frequency > 0) {
      PlannedContext best;
      best.utility = utility(snapshot.alpha, item.prefill_quality, item.prefill_seconds, item.frequency);
      for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
        for (std::size_t t = 0; t < problem.tiers(); ++t) {
          const double value = utility(snapshot.alpha, problem.quality(o), problem.ttft_seconds(o, t), item.frequency);
          if (value <= best.utility) continue;
          best.utility = value;
          best.configuration = problem.configuration(index, o, static_cast<int>(t));
        }
      planned.utility_drop = std::max(0.0, best.utility - planned.utility);
      if (planned.utility_drop > 0)
        planned.reason = "loses " + short_number(planned.utility_drop) + " against its own best, " +
                         kvantage::describe(snapshot, best.configuration) + ", for the best total";
    }
    if (found.proven) return;
    const double gap = found.upper_bound - found.assignment.total_utility;
    planned.reason += "; not proven: too many contexts or choices to search, at most " +
                      short_number(std::max(gap, 0.0)) + " of total utility below the optimum";
  }

  std::string name_;
  std::uint64_t replan_requests_;
};

}  // namespace

MadePolicy make_optimal_policy(const FormArguments& arguments) {
  return std::make_shared<Optimal>(arguments.canonical_text(), arguments.whole("replan_requests"));
}

}  // namespace kvantage::inline policy
