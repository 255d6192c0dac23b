#include "core/policy/adaptcache.h"

#include <algorithm>

#include "core/policy/policies.h"
#include "core/policy/present_plan.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

/// Decided placements that may not be committed yet.
struct Decided final : PolicyMemory {
  std::vector<std::pair<Digest128, Configuration>> configurations;  // ascending by key
};

class AdaptCache final : public Policy {
 public:
  AdaptCache(std::string name, const AdaptCacheOptions& options) : name_(std::move(name)), options_(options) {}

  std::string name() const override { return name_; }
  bool uses_alpha() const override { return true; }
  bool is_planner() const override { return true; }
  Configuration admission(const ContextState&) const override { return {0, "none", 0}; }

  /// Re-inserts all contexts in the order of their last use.
  Plan plan(const Snapshot& snapshot) const override {
    const AdaptCacheForms forms(snapshot, options_);
    EvictionMemory recency(*find_eviction_order("lru"));
    recency.follow(snapshot);
    AdaptCacheGreedy greedy(snapshot, forms, options_, snapshot.alpha, recency);
    play_arrivals(snapshot, greedy);
    return plan_of(snapshot, greedy.targets(), greedy.steps());
  }

  std::unique_ptr<AlphaPlanner> alpha_planner(const Snapshot& snapshot) const override {
    class WithForms final : public AlphaPlanner {
     public:
      WithForms(const AdaptCache& policy, const Snapshot& snapshot)
          : policy_(policy), snapshot_(snapshot), forms_(snapshot, policy.options_) {
        recency_.follow(snapshot);
      }
      FrontierPoint at(double alpha) override {
        EvictionMemory recency = recency_;
        AdaptCacheGreedy greedy(snapshot_, forms_, policy_.options_, alpha, recency, Reasons::left_out);
        play_arrivals(snapshot_, greedy);
        return greedy.prediction();
      }

     private:
      const AdaptCache& policy_;
      const Snapshot& snapshot_;
      AdaptCacheForms forms_;
      EvictionMemory recency_{*find_eviction_order("lru")};
    };
    return std::make_unique<WithForms>(*this, snapshot);
  }

  PolicyStep advance(PolicyState& state, const PolicyEvent& event) const override {
    const auto before = std::dynamic_pointer_cast<const Decided>(state.memory);
    if (event.kind == PolicyEvent::Kind::commit_failed) state.memory = nullptr;  // the snapshot is authoritative
    if (!decides(state.snapshot, event)) return {};
    const auto [targets, planned] = decide(state.snapshot, event, before.get());
    auto decided = std::make_shared<Decided>();
    for (std::size_t i = 0; i < targets.size(); ++i)
      decided->configurations.emplace_back(state.snapshot.contexts[i].key, targets[i].configuration);
    state.memory = std::move(decided);
    return {ordered_actions(state.snapshot, targets), planned};
  }

  PolicyStep step(const PolicyState& state, const PolicyEvent& event) const override {
    if (!decides(state.snapshot, event)) return {};
    const auto [targets, planned] = decide(state.snapshot, event, dynamic_cast<const Decided*>(state.memory.get()));
    return {ordered_actions(state.snapshot, targets), planned};
  }

 private:
  static bool decides(const Snapshot& snapshot, const PolicyEvent& event) {
    if (event.kind == PolicyEvent::Kind::commit_failed) return false;
    return event.kind != PolicyEvent::Kind::requested || over_budget(snapshot);
  }

  static void play_arrivals(const Snapshot& snapshot, AdaptCacheGreedy& greedy) {
    greedy.start_empty();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
      const ContextState& context = snapshot.contexts[i];
      if (context.archived && !context.pinned && context.frequency > 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return snapshot.contexts[a].last_access < snapshot.contexts[b].last_access;
    });
    greedy.settle();
    for (const std::size_t i : order) {
      greedy.arrive(i);
      greedy.settle();
    }
  }

  std::pair<std::vector<Target>, FrontierPoint> decide(const Snapshot& snapshot, const PolicyEvent& event,
                                                       const Decided* before) const {
    EvictionMemory recency(*find_eviction_order("lru"));
    recency.follow(snapshot);
    const AdaptCacheForms forms(snapshot, options_);
    AdaptCacheGreedy greedy(snapshot, forms, options_, snapshot.alpha, recency);
    if (event.kind == PolicyEvent::Kind::settings_changed || event.kind == PolicyEvent::Kind::profile_changed) {
      play_arrivals(snapshot, greedy);
      return {greedy.targets(), greedy.prediction()};
    }
    if (before != nullptr) assume_decided(snapshot, *before, greedy);
    const auto index = find_context(snapshot, event.context);
    if (event.kind == PolicyEvent::Kind::context_computed && index && may_arrive(snapshot.contexts[*index]))
      greedy.arrive(*index);
    greedy.settle();
    return {greedy.targets(), greedy.prediction()};
  }

  static bool may_arrive(const ContextState& context) {
    return context.archived && !context.pinned && !context.placement.stored();
  }

  static void assume_decided(const Snapshot& snapshot, const Decided& before, AdaptCacheGreedy& greedy) {
    auto at = before.configurations.begin();
    for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
      const ContextState& context = snapshot.contexts[i];
      while (at != before.configurations.end() && at->first < context.key) ++at;
      if (at == before.configurations.end() || at->first != context.key) continue;
      const bool possible =
          context.archived && !context.pinned && at->second.tier < static_cast<int>(snapshot.tiers.size());
      const bool same = at->second == context.placement || (!at->second.stored() && !context.placement.stored());
      if (possible && !same) greedy.assume(i, at->second);
    }
  }

  std::string name_;
  AdaptCacheOptions options_;
};

}  // namespace

MadePolicy make_adaptcache_policy(const FormArguments& arguments) {
  AdaptCacheOptions options;
  if (arguments.is("utility", "printed")) options.utility = AdaptCacheOptions::Utility::printed;
  if (arguments.is("quality", "context")) options.quality = AdaptCacheOptions::Quality::context;
  if (arguments.is("pool", "paper")) options.pool = AdaptCacheOptions::Pool::paper;
  return std::make_shared<AdaptCache>(arguments.canonical_text(), options);
}

}  // namespace kvantage::inline policy
