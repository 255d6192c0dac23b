// Executes the policy's decisions: dispatches events to it, queues the resulting actions, and commits them between
// requests within a time limit.
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
  /// nobody_waits: no request is running, and none is expected at a rate. frozen: the outcome of a write is known
  /// before the next decision.
  PlacementExecutor(const EngineServices& services, RunCounters& counters, std::function<bool()> nobody_waits,
                    bool frozen)
      : services_(services), counters_(counters), nobody_waits_(std::move(nobody_waits)), frozen_(frozen) {}

  /// Switches to the policy `name` (text form); pending actions of the previous one are dropped. usage: an unknown
  /// policy; nothing changed.
  Status use_policy(const std::string& name);
  const Policy& policy() const { return *policy_; }
  const std::string& policy_name() const { return policy_name_; }

  /// A reducer's actions depend on each other and are executed immediately; a planner's newest plan replaces pending
  /// actions of older plans.
  void dispatch_event(const PolicyEvent& event);
  bool has_actions() const { return !pending_.empty(); }
  /// Whether an action may be executed now, given the running requests.
  bool may_place() const;
  /// Executes actions for about `seconds`; the last one is completed.
  void place(double seconds);
  /// Notifies the policy of background writes that failed.
  void take_failed_writes();
  void forget_actions() { pending_.clear(); }

 private:
  PolicyStep decide(const PolicyEvent& event);
  void note_failure(const Digest128& context);

  EngineServices services_;
  RunCounters& counters_;
  std::function<bool()> nobody_waits_;
  bool frozen_;
  std::shared_ptr<const Policy> policy_;
  std::string policy_name_;
  std::deque<PlacementAction> pending_;
  int failed_commits_ = 0;  // in a row
};

}  // namespace kvantage::inline store
