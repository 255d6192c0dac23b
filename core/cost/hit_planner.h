// How a stored context is served: loaded, or its front computed while its back is read, or all of it computed, decided
// for each request by the current fits.
#pragma once

#include <map>

#include "core/cost/cost_model.h"
#include "core/request/compute_or_load_choice.h"
#include "core/store/engine_services.h"

namespace kvantage::inline cost {

class HitPlanner {
 public:
  /// frozen: hits are loaded, as anything else rests on times.
  HitPlanner(const EngineServices& services, const CostModel& costs, bool frozen)
      : services_(services), costs_(costs), frozen_(frozen) {}

  /// "auto" or "off", as SessionSettings::compute_or_load.
  void use(const std::string& compute_or_load) { decides_ = compute_or_load == "auto"; }
  /// Sets hit.choice for a request about `context`; null: load it.
  void choose(CacheHit& hit, std::size_t context);
  /// A request was served from what was stored as `served_from`, the entry of context `entry`.
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
