#include "core/policy/live_plan.h"
#include "core/policy/policies.h"
#include "core/policy/replanning.h"

namespace kvantage {

namespace {

std::string canonical_name(const EvicPressOptions& options) {
  const EvicPressOptions usual;
  std::string arguments;
  const auto add = [&](const std::string& argument) { arguments += (arguments.empty() ? "" : ",") + argument; };
  if (options.rules.start == PlanStart::quality) add("start=quality");
  if (options.rules.drop == DropMeasure::per_byte) add("drop=per_byte");
  if (options.rules.drop == DropMeasure::best) add("drop=best");
  if (options.rules.lp_prices) add("prices=lp");
  if (options.replan_requests != usual.replan_requests)
    add("replan_requests=" + std::to_string(options.replan_requests));
  return arguments.empty() ? "evicpress" : "evicpress(" + arguments + ")";
}

class EvicPress final : public Policy {
 public:
  explicit EvicPress(const EvicPressOptions& options) : options_(options), name_(canonical_name(options)) {}

  std::string name() const override { return name_; }
  bool knows_alpha() const override { return true; }
  bool plans() const override { return true; }
  Configuration admission(const ContextState&) const override { return {0, "none", 0}; }

  Plan plan(const Snapshot& snapshot) const override {
    const PlanningProblem problem(snapshot);
    return describe(snapshot, problem, snapshot.alpha, solve(problem, snapshot.alpha, options_.rules));
  }

  std::vector<PlacementAction> step(const PolicyState& state, const PolicyEvent& event) const override {
    if (!time_to_plan(state.snapshot, event, options_.replan_requests)) return {};
    return ordered_actions(state.snapshot, targets_of(plan(state.snapshot)));
  }

  // As step(), from a plan that is kept and brought into line with what changed since.
  std::vector<PlacementAction> advance(PolicyState& state, const PolicyEvent& event) const override {
    if (!time_to_plan(state.snapshot, event, options_.replan_requests)) return {};
    const auto plan = take_live_plan(state, options_.rules);
    plan->follow(state.snapshot);
    auto actions = ordered_actions(state.snapshot, plan->targets(state.snapshot));
    state.memory = plan;
    return actions;
  }

  std::unique_ptr<AlphaPlanner> alpha_planner(const Snapshot& snapshot) const override {
    class Flattened final : public AlphaPlanner {
     public:
      Flattened(const Snapshot& snapshot, const PlanRules& rules) : problem_(snapshot), rules_(rules) {}
      FrontierPoint at(double alpha) override {
        return summary(problem_, alpha, solve(problem_, alpha, rules_, false));
      }

     private:
      PlanningProblem problem_;
      PlanRules rules_;
    };
    return std::make_unique<Flattened>(snapshot, options_.rules);
  }

 private:
  EvicPressOptions options_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const Policy> make_evicpress(const EvicPressOptions& options) {
  return std::make_shared<EvicPress>(options);
}

}  // namespace kvantage
