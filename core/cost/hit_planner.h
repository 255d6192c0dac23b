// Chooses how a stored context is served, per request and by the current fits: load, hybrid prefill (compute the front
// while the back loads), or full recompute.
#pragma once

#include <map>

#include "core/cost/cost_model.h"
#include "core/request/compute_or_load_choice.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

class HitPlanner {
 public:
  /// frozen: hits are always loaded, because any other choice depends on timings.
  HitPlanner(const EngineServices& services, const CostModel& costs, bool frozen)
      : services_(services), costs_(costs), frozen_(frozen) {}

  /// "auto" or "off", as SessionSettings::compute_or_load.
  void use(const std::string& compute_or_load) { decides_ = compute_or_load == "auto"; }
  /// Sets hit.choice for a request about `context`; null: load it.
  void choose(CacheHit& hit, std::size_t context);
  /// A request was served by the entry of context `entry`, which was placed at `served_from`.
  void learn(RequestTask& task, std::size_t entry, const Configuration& served_from);

 private:
  void learn_kept_map(RequestTask& task, std::size_t entry);

  EngineServices services_;
  const CostModel& costs_;
  bool frozen_;
  bool decides_ = true;
  std::map<int, UnreadTier> unread_tiers_;  // by tier
};

}  // namespace kvantage::inline cost
