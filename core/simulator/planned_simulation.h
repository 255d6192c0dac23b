// Policies that plan over whole snapshots (evicpress, fixed forms, ...), fed with a trace: the policy code of the live
// engine itself, through core/policy/simulate.h. A context is held as a whole; it is as long as the longest request
// about it. Planning takes time that grows with the contexts, so there is a limit on them.
#pragma once

#include <map>
#include <memory>

#include "core/policy/simulate.h"
#include "core/simulator/presets.h"
#include "core/simulator/simulator.h"

namespace kvantage {

inline constexpr std::size_t most_planned_contexts = 20'000;

struct PlannedTier {
  std::string name;
  std::uint64_t budget_bytes = 0;
  LoadLine line;
};
struct PlannedSetup {
  SimulatorPreset preset;
  std::string dataset;            // of its quality; empty: the first
  std::vector<PlannedTier> tiers;  // fastest first
  double alpha = 1;               // seconds per unit of quality
  double quality_spread = 0;      // contexts differ in what compression costs them: standard deviation of a factor's logarithm
  std::uint64_t seed = 1;         // of that spread
  unsigned servers = 1;
  double seconds_per_output_token = 0;  // as in CostModel
};

/// Contexts of a trace and their most tokens.
using TraceContexts = std::map<std::uint64_t, std::uint64_t>;
/// Reads a trace to its end; usage error when it has more than `most_planned_contexts` of them.
Expected<TraceContexts> contexts_of(TraceReader& trace);

/// The snapshot that a policy plans over. Quality of a candidate for a context: uncompressed - loss * factor, at least 0.
Expected<Snapshot> snapshot_of(const PlannedSetup& setup, const TraceContexts& contexts);

class PlannedSimulation {
 public:
  static Expected<std::unique_ptr<PlannedSimulation>> make(const PlannedSetup& setup, const TraceContexts& contexts,
                                                           std::shared_ptr<const Policy> policy);
  /// A request about one of the contexts; arrivals ascend.
  void request(const TraceRequest& request);
  SimulatorTotals totals() const;

 private:
  PlannedSimulation(const PlannedSetup& setup, Snapshot snapshot, std::shared_ptr<const Policy> policy);

  PlannedSetup setup_;
  ShadowSimulation shadow_;
  ServedTimes times_;
  SimulatorTotals totals_;
  double quality_sum_ = 0;
};

}  // namespace kvantage
