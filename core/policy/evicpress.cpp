#include "core/policy/actions.h"
#include "core/policy/policies.h"

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
    if (!time_to_plan(state.snapshot, event)) return {};
    const Plan planned = plan(state.snapshot);
    std::vector<Target> targets;
    targets.reserve(planned.contexts.size());
    for (const PlannedContext& context : planned.contexts)
      targets.push_back({context.configuration, context.bytes, context.utility_drop, context.reason});
    return ordered_actions(state.snapshot, targets);
  }

  std::vector<FrontierPoint> curve(const Snapshot& snapshot, const std::vector<double>& alphas) const override {
    const PlanningProblem problem(snapshot);
    std::vector<FrontierPoint> points;
    for (const double alpha : alphas)
      points.push_back(summary(problem, alpha, solve(problem, alpha, options_.rules, false)));
    return points;
  }

 private:
  bool time_to_plan(const Snapshot& snapshot, const PolicyEvent& event) const {
    switch (event.kind) {
      case PolicyEvent::Kind::context_computed:
      case PolicyEvent::Kind::profile_changed:
      case PolicyEvent::Kind::settings_changed: return true;
      // The same plan would fail the same way: the next event plans with the truth that the snapshot holds by then.
      case PolicyEvent::Kind::commit_failed: return false;
      case PolicyEvent::Kind::requested: break;
    }
    const auto index = find_context(snapshot, event.context);
    const bool due = index && options_.replan_requests > 0 &&
                     snapshot.contexts[*index].last_access % options_.replan_requests == 0;
    return due || over_budget(snapshot);
  }

  EvicPressOptions options_;
  std::string name_;
};

}  // namespace

std::shared_ptr<const Policy> make_evicpress(const EvicPressOptions& options) {
  return std::make_shared<EvicPress>(options);
}

}  // namespace kvantage
