// Policies that plan over whole snapshots (evicpress, adaptcache, ...), fed with a trace: the policy code of the live
// engine itself. A context is cached as a whole, with the length of its last request, and a hit serves at most that.
// Planning time grows with the contexts. From `max_followed_contexts` on, planning policies plan only every so many
// requests, and contexts computed since are stored then.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/seeded_hash.h"
#include "core/policy/policy.h"
#include "core/simulator/presets.h"
#include "core/simulator/simulator.h"
#include "core/simulator/stored_form.h"

namespace kvantage::inline simulator {

inline constexpr std::size_t max_followed_contexts = 20'000;  // plans at every request
inline constexpr std::size_t max_planned_contexts = 1'000'000;
inline constexpr double max_planned_work = 1e8;  // plans times contexts of a trace, beyond max_followed_contexts

struct PlannedSetup {
  SimulatorPreset preset;
  std::string dataset;             // of its quality; empty: the first
  std::vector<PlannedTier> tiers;  // fastest first
  double alpha = 1;                // seconds per unit of quality
  double quality_spread = 0;  // spread of compression loss across contexts: standard deviation of the log of a factor
  std::uint64_t seed = 1;     // of that spread
  unsigned servers = 1;
  double seconds_per_output_token = 0;                     // as in CostModel
  std::uint64_t block_tokens = TraceFacts{}.block_tokens;  // that totals count in
};

/// Contexts of a trace and their maximum tokens.
using TraceContexts = std::map<std::uint64_t, std::uint64_t>;
struct TraceScan {
  TraceContexts contexts;
  std::uint64_t requests = 0;
};
/// The maximum number of contexts for simulating a policy.
std::size_t max_contexts_of(const Policy& policy);
/// Reads a trace to its end; usage error when it has more than `most` contexts.
Expected<TraceScan> contexts_of(TraceReader& trace, std::size_t most);

/// Tokens of all contexts of a trace together, each at its maximum length. rejected_input where there are too many.
Expected<double> tokens_of_contexts(TraceReader& trace);

/// The snapshot that a policy plans over. Quality of a candidate for a context: uncompressed - loss * factor, at least
/// 0.
Expected<Snapshot> snapshot_of(const PlannedSetup& setup, const TraceContexts& contexts);

class PlannedSimulation {
 public:
  /// usage error for a policy whose forms have no quality in the preset.
  static Expected<std::unique_ptr<PlannedSimulation>> make(PlannedSetup setup, const TraceScan& scan,
                                                           std::shared_ptr<const Policy> policy);
  /// A request about one of the contexts; arrivals ascend.
  void request(const TraceRequest& request);
  SimulatorTotals totals() const;
  /// 1: at every request, as in the live engine.
  std::uint64_t planned_every() const { return planned_every_; }
  /// Of the current placements: (bound - achieved) / (bound - prefilling everything), all predicted (lp_bound.h);
  /// nothing for policies that do not plan.
  std::optional<double> lp_gap();
  /// Whether the policy's form is interpolated between measured fractions.
  bool quality_between() const { return between_; }

 private:
  struct Asked {
    std::size_t context = 0;
    std::uint64_t counter = 0;
  };
  PlannedSimulation(PlannedSetup setup, Snapshot snapshot, std::shared_ptr<const Policy> policy);
  void resize(std::size_t index, std::uint64_t tokens);
  void follow(std::size_t index, bool computed);
  void book_waiting();
  void handle(PolicyEvent::Kind kind, const Digest128& context);
  const CostModel& costs_as(const Configuration& placement) const;

  PlannedSetup setup_;
  std::shared_ptr<const Policy> policy_;
  PolicyState state_;
  std::vector<CostModel> costs_;  // uncompressed, then of the preset's candidates
  SeededMap<std::uint64_t, std::shared_ptr<const ContextProfile>> profiles_;  // by tokens, where contexts are identical
  std::vector<Asked> waiting_;                                                // requests not yet counted in frequencies
  std::uint64_t counter_ = 0, planned_every_ = 1;
  bool between_ = false;
  bool stores_ = true;  // PolicyTraits
  ServedTimes times_;
  SimulatorTotals totals_;
  double quality_sum_ = 0;
};

}  // namespace kvantage::inline simulator
