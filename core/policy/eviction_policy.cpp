#include "core/policy/eviction_cascade.h"
#include "core/policy/policies.h"
#include "core/policy/present_plan.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

class EvictionPolicy final : public Policy {
 public:
  EvictionPolicy(std::string name, std::string method, double removed_fraction, const EvictionOrderInfo& order)
      : name_(std::move(name)), method_(std::move(method)), removed_fraction_(removed_fraction), order_(order) {}

  std::string name() const override { return name_; }
  bool uses_alpha() const override { return false; }
  bool is_planner() const override { return false; }
  Configuration admission(const ContextState&) const override { return {0, method_, removed_fraction_}; }
  Plan plan(const Snapshot& snapshot) const override { return present_plan(snapshot); }

  PolicyStep advance(PolicyState& state, const PolicyEvent& event) const override {
    if (!order_.is_stateful) {
      state.memory = nullptr;
      return step(state, event);
    }
    const auto memory = take_eviction_memory(state, order_);
    PolicyStep made{decide(state.snapshot, *memory, event)};
    state.memory = memory;
    return made;
  }

  PolicyStep step(const PolicyState& state, const PolicyEvent& event) const override {
    if (const auto known = std::dynamic_pointer_cast<const EvictionMemory>(state.memory);
        known && known->order().name == order_.name) {
      EvictionMemory memory(*known);
      return {decide(state.snapshot, memory, event)};
    }
    EvictionMemory memory(order_);
    return {decide(state.snapshot, memory, event)};
  }

 private:
  std::vector<PlacementAction> decide(const Snapshot& snapshot, EvictionMemory& memory,
                                      const PolicyEvent& event) const {
    if (event.kind == PolicyEvent::Kind::commit_failed) return {};
    const auto index = find_context(snapshot, event.context);
    const bool requested = event.kind == PolicyEvent::Kind::requested && index;
    const bool enters = event.kind == PolicyEvent::Kind::context_computed && index && may_enter(snapshot, *index);
    const bool returns = requested && may_return(snapshot, *index);
    const bool changed = event.kind == PolicyEvent::Kind::settings_changed;
    const bool acts = enters || returns || changed || over_budget(snapshot);
    if (!acts && !(requested && order_.is_stateful)) return {};

    memory.follow(snapshot);
    if (requested) memory.touch(snapshot, *index);
    if (!acts) return {};
    EvictionCascade cascade(snapshot, memory);
    if (changed) remake_all(snapshot, cascade);
    cascade.shrink_to_budgets();
    if (enters) cascade.insert(*index, method_, removed_fraction_, "just computed: enters at the top");
    if (returns) {
      const ContextState& context = snapshot.contexts[*index];
      const bool remade = context.archived;
      cascade.insert(*index, remade ? method_ : context.placement.method,
                     remade ? removed_fraction_ : context.placement.removed_fraction,
                     "just requested: back to the top");
    }
    return cascade.actions();
  }

  bool in_form(const Configuration& placement) const {
    return placement.method == method_ && same_fraction(placement.removed_fraction, removed_fraction_);
  }
  bool may_enter(const Snapshot& snapshot, std::size_t index) const {
    const ContextState& context = snapshot.contexts[index];
    return !context.pinned && context.archived &&
           !(is_placed(snapshot, context) && context.placement.tier == 0 && in_form(context.placement));
  }
  bool may_return(const Snapshot& snapshot, std::size_t index) const {
    const ContextState& context = snapshot.contexts[index];
    return !context.pinned && is_placed(snapshot, context) &&
           (context.placement.tier > 0 || (context.archived && !in_form(context.placement)));
  }

  /// Entries in other forms were left by another policy.
  void remake_all(const Snapshot& snapshot, EvictionCascade& cascade) const {
    for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
      const ContextState& context = snapshot.contexts[i];
      if (context.pinned || !context.archived || !is_placed(snapshot, context) || in_form(context.placement)) continue;
      cascade.put(i, {context.placement.tier, method_, removed_fraction_},
                  name_ + " stores every context in this form");
    }
  }

  std::string name_, method_;
  double removed_fraction_;
  const EvictionOrderInfo& order_;
};

}  // namespace

std::shared_ptr<const Policy> make_eviction_policy(std::string name, std::string method, double removed_fraction,
                                                   const EvictionOrderInfo& order) {
  return std::make_shared<EvictionPolicy>(std::move(name), std::move(method), removed_fraction, order);
}

}  // namespace kvantage::inline policy
