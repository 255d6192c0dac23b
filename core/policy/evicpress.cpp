#include "core/policy/live_plan.h"
#include "core/policy/policies.h"

namespace kvantage::inline policy {

namespace {

/// EvicPress: the least-drop greedy over all configurations of all contexts, by its utility or by a formula.
class EvicPress final : public Policy {
 public:
  EvicPress(std::string name, const PlanRules& rules, std::uint64_t replan_requests)
      : name_(std::move(name)), rules_(rules), replan_requests_(replan_requests) {}

  std::string name() const override { return name_; }
  bool uses_alpha() const override { return !rules_.formula || rules_.formula->uses(Quantity::alpha); }
  bool is_planner() const override { return true; }
  QualityReading quality_reading() const override { return rules_.quality; }
  const Formula* utility_formula() const override { return rules_.formula.get(); }
  Configuration admission(const ContextState&) const override { return {0, "none", 0}; }

  Plan plan(const Snapshot& snapshot) const override {
    const PlanningProblem problem(snapshot, rules_.quality, rules_.formula);
    return describe(snapshot, problem, snapshot.alpha, solve(problem, snapshot.alpha, rules_));
  }

  PolicyStep step(const PolicyState& state, const PolicyEvent& event) const override {
    if (!time_to_plan(state.snapshot, event, replan_requests_)) return {};
    return step_to(state.snapshot, plan(state.snapshot));
  }

  // As step(), from a cached plan that is updated with the changes since.
  PolicyStep advance(PolicyState& state, const PolicyEvent& event) const override {
    if (!time_to_plan(state.snapshot, event, replan_requests_)) return {};
    const auto plan = take_live_plan(state, rules_);
    plan->follow(state.snapshot);
    PolicyStep made{ordered_actions(state.snapshot, plan->targets(state.snapshot)), plan->prediction(state.snapshot)};
    state.memory = plan;
    return made;
  }

  std::unique_ptr<AlphaPlanner> alpha_planner(const Snapshot& snapshot) const override {
    class Flattened final : public AlphaPlanner {
     public:
      Flattened(const Snapshot& snapshot, const PlanRules& rules)
          : problem_(snapshot, rules.quality, rules.formula), rules_(rules) {}
      FrontierPoint at(double alpha) override {
        return summary(problem_, alpha, solve(problem_, alpha, rules_, false));
      }

     private:
      PlanningProblem problem_;
      PlanRules rules_;
    };
    return std::make_unique<Flattened>(snapshot, rules_);
  }

 private:
  std::string name_;
  PlanRules rules_;
  std::uint64_t replan_requests_;  // besides every new context, profile or setting: popularity drifts
};

PlanRules evicpress_rules(const FormArguments& arguments) {
  PlanRules rules;
  if (arguments.is("drop", "per_byte")) rules.drop = DropMeasure::per_byte;
  if (arguments.is("drop", "best")) rules.drop = DropMeasure::best;
  if (arguments.is("quality", "raw")) rules.quality = QualityReading::raw;
  return rules;
}

}  // namespace

MadePolicy make_evicpress_policy(const FormArguments& arguments) {
  PlanRules rules = evicpress_rules(arguments);
  if (arguments.is("start", "quality")) rules.start = PlanStart::quality;
  rules.lp_prices = arguments.is("prices", "lp");
  return std::make_shared<EvicPress>(arguments.canonical_text(), rules, arguments.whole("replan_requests"));
}

// Its prices would be of EvicPress's utility, so it has none; and its start is what the formula says.
MadePolicy make_formula_policy(const FormArguments& arguments) {
  PlanRules rules = evicpress_rules(arguments);
  KV_ASSIGN(rules.formula, Formula::compile(arguments.text("EXPRESSION")));
  return std::make_shared<EvicPress>(arguments.canonical_text(), rules, arguments.whole("replan_requests"));
}

}  // namespace kvantage::inline policy
