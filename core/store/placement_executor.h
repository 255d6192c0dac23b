// Carries out what the policy wants: dispatches events to it, keeps the actions it answers with, and commits them
// between requests, for a bounded time. Deciding is the policy's part, writing the store's.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "core/policy/policy.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"

namespace kvantage::inline store {

class PlacementExecutor {
 public:
  /// nobody_waits: no request is running, and none is to come at a rate. frozen: what a write comes to is known
  /// before the next decision.
  PlacementExecutor(const EngineServices& services, RunCounters& counters, std::function<bool()> nobody_waits,
                    bool frozen)
      : services_(services), counters_(counters), nobody_waits_(std::move(nobody_waits)), frozen_(frozen) {}

  /// From now on `name` (text form) decides; what the one before still wanted is forgotten. usage: there is no such
  /// policy, and nothing changed.
  Status use_policy(const std::string& name);
  const Policy& policy() const { return *policy_; }
  const std::string& policy_name() const { return policy_name_; }

  /// A reducer's actions depend on each other and are carried out at once; an optimizing policy's newest plan replaces
  /// what an older one still wanted.
  void dispatch_event(const PolicyEvent& event);
  bool has_actions() const { return !pending_.empty(); }
  /// Whether an action may be carried out now, beside the requests there are.
  bool may_place() const;
  /// Carries actions out for about `seconds`; one that was begun is finished.
  void place(double seconds);
  /// Lets the policy know of writes that failed in the background.
  void take_failed_writes();
  void forget_actions() { pending_.clear(); }

 private:
  void note_failure(const Digest128& context);

  EngineServices services_;
  RunCounters& counters_;
  std::function<bool()> nobody_waits_;
  bool frozen_;
  std::shared_ptr<const Policy> policy_;
  std::string policy_name_;
  std::deque<PlacementAction> pending_;
  int failed_commits_ = 0;  // one after the other
};

}  // namespace kvantage::inline store
