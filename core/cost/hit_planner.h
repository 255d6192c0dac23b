// Chooses how a stored context is served, per request and by the current fits: load, hybrid prefill (compute the front
// while the back loads), or full recompute.
#pragma once

#include <map>

#include "core/request/compute_or_load_choice.h"
#include "core/request/request_task.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

/// The measured cost of arriving bytes, beside the fits in the snapshot.
class IntakeCost {
 public:
  virtual ~IntakeCost() = default;
  /// CPU time to verify arriving bytes.
  virtual double intake_seconds_per_byte() const = 0;
};

class HitPlanner {
 public:
  /// intake: must outlive this. frozen: hits are always loaded, because any other choice depends on timings.
  HitPlanner(const EngineServices& services, const IntakeCost& intake, bool frozen)
      : services_(services), intake_(intake), frozen_(frozen) {}

  /// compute_or_load: as in SessionSettings; methods: its candidates, for predictions.
  void use(const std::string& compute_or_load, const std::vector<std::string>& methods);
  /// Tells the snapshot how stored contexts are served: after use(), and once the costs were timed.
  void describe_serving();
  /// Sets hit.choice for a request about `context`; null: load it.
  void choose(CacheHit& hit, std::size_t context);
  /// A request was served by the entry of context `entry`, which was placed at `served_from`.
  void learn(RequestTask& task, std::size_t entry, const Configuration& served_from);

 private:
  bool can_compute() const;
  void learn_kept_map(RequestTask& task, std::size_t entry);

  EngineServices services_;
  const IntakeCost& intake_;
  bool frozen_;
  ServingWays ways_;
  std::vector<std::string> methods_;        // candidates whose entries can be read in pieces
  std::map<int, UnreadTier> unread_tiers_;  // by tier
};

}  // namespace kvantage::inline cost
