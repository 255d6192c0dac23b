#include "core/policy/policies.h"
#include "core/policy/present_plan.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

PlacementAction eviction(const ContextState& context) {
  PlacementAction action;
  action.context = context.key;
  action.kind = ActionKind::evict;
  action.from = context.placement;
  action.bytes_before = context.stored_bytes;
  action.reason = "this policy stores nothing";
  return action;
}

class FullPrefill final : public Policy {
 public:
  std::string name() const override { return "full_prefill"; }
  bool uses_alpha() const override { return false; }
  bool is_planner() const override { return false; }
  Configuration admission(const ContextState&) const override { return {}; }

  PolicyStep step(const PolicyState& state, const PolicyEvent&) const override {
    PolicyStep made;
    for (const ContextState& context : state.snapshot.contexts)
      if (is_placed(state.snapshot, context) && !context.pinned) made.actions.push_back(eviction(context));
    return made;
  }

  Plan plan(const Snapshot& snapshot) const override {
    Snapshot emptied = snapshot;
    for (ContextState& context : emptied.contexts) {
      context.placement = {};
      context.stored_bytes = 0;
    }
    return present_plan(emptied);
  }
};

}  // namespace

MadePolicy make_full_prefill_policy(const FormArguments&) { return std::make_shared<FullPrefill>(); }

}  // namespace kvantage::inline policy
