// What happens to tiers beside requests: other processes use some of them too, their servers go away and come back, and
// faults are injected.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/store/engine_services.h"
#include "core/store/run_recorder.h"

namespace kvantage::inline cost {

class TierMonitor {
 public:
  /// As OpenedTiers::inject; empty: nothing can fail on purpose.
  using Inject = std::function<Status(std::size_t tier, const std::string& faults)>;

  TierMonitor(const EngineServices& services, CostModel& costs, RunRecorder& recorder, Inject inject)
      : services_(services), costs_(costs), recorder_(recorder), inject_(std::move(inject)) {}

  /// Between two requests: syncs what others stored; reports once that a tier's server does not answer, and times it
  /// when it is back. tiers: as SessionSettings has them.
  void poll(const std::vector<TierConfig>& tiers);
  /// Lets the faults of a tier's setting enabled, from their seed on; with `strike` false none does. They strike while
  /// requests are served, not while tiers are opened, emptied or timed.
  void inject_faults(std::size_t tier, const TierConfig& setting, bool enabled = true);
  void inject_all_faults(const std::vector<TierConfig>& tiers, bool enabled = true);

 private:
  bool came_back(std::size_t place, const StorageTier& tier);

  EngineServices services_;
  CostModel& costs_;
  RunRecorder& recorder_;
  Inject inject_;
  std::vector<bool> reachable_;  // by tier, as last seen; the archive last
};

}  // namespace kvantage::inline cost
