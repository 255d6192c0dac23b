// Tier events independent of requests: changes by other processes, servers that disconnect and reconnect, injected
// faults.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/ports/session.h"
#include "core/store/engine_services.h"
#include "core/store/run_journal.h"

namespace kvantage::inline cost {

/// Measures the speed of a tier.
class TierTiming {
 public:
  virtual ~TierTiming() = default;
  /// The tier's fit is new afterwards, unless its server does not answer. `cancelled` when a command waits.
  virtual Status time_tier(std::size_t tier, const TierConfig& setting) = 0;
};

class TierMonitor {
 public:
  /// As OpenedTiers::inject; empty: no tier supports fault injection.
  using Inject = std::function<Status(std::size_t tier, const std::string& faults)>;

  /// timing, journal: must outlive this.
  TierMonitor(const EngineServices& services, TierTiming& timing, RunJournal& journal, Inject inject)
      : services_(services), timing_(timing), journal_(journal), inject_(std::move(inject)) {}

  /// Call between two requests. Syncs changes by other processes. Reports an unreachable server once and times it again
  /// when it is back; reports once that a tier ignores entries for their seals. tiers: as in SessionSettings.
  void poll(const std::vector<TierConfig>& tiers);
  /// Injects the faults of a tier's setting, drawn from their seed; none if not `enabled`. Faults are enabled
  /// while requests are served, not while tiers are opened or cleared, nor while one is timed again for a new throttle.
  void inject_faults(std::size_t tier, const TierConfig& setting, bool enabled = true);
  /// While a session times its tiers at the start, the same without delays: a fit would take them for the device's
  /// speed, and a start would wait.
  void inject_timing_faults(const std::vector<TierConfig>& tiers);
  void inject_all_faults(const std::vector<TierConfig>& tiers, bool enabled = true);

 private:
  bool came_back(std::size_t place, const StorageTier& tier);
  void say_unsealed(std::size_t place, const StorageTier& tier);

  EngineServices services_;
  TierTiming& timing_;
  RunJournal& journal_;
  Inject inject_;
  std::vector<bool> reachable_;      // by tier, at the last poll; the archive last
  std::vector<bool> unsealed_said_;  // in the same order
};

}  // namespace kvantage::inline cost
