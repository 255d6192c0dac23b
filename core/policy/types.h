// Inputs and outputs of a placement policy. Pure values: no clock, no I/O, no hidden state.
//
// A Configuration is EvicPress's triple (storage device, compression method, removed fraction); "not stored" means the
// context is prefilled again on its next request. Utility of a context in a configuration (EvicPress section 4.2):
//     utility = (alpha * quality - ttft) * frequency      alpha in seconds per unit of quality.
// Predictions rest on the fits and profiles in the Snapshot: the same code decides live, simulates and predicts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/policy/fits.h"
#include "core/policy/profile.h"

namespace kvantage::inline policy {

inline constexpr int not_stored = -1;

struct Configuration {
  int tier = not_stored;  // index into Snapshot::tiers, fastest first
  std::string method = "none";
  double removed_fraction = 0;  // of tokens
  bool stored() const { return tier != not_stored; }
  bool operator==(const Configuration&) const = default;
};

struct TierState {
  std::string name;
  std::uint64_t budget_bytes = 0;
  TierModel model;
  bool throttled = false;
  double added_latency_seconds = 0;  // of the throttle that `model` was measured under
};

/// What does not change while a session runs.
struct ContextFacts {
  Digest128 key;
  std::string id;  // as in the workload
  std::string family;
  int tokens = 0;
  std::uint64_t full_bytes = 0;      // uncompressed entry
  std::uint64_t windowed_bytes = 0;  // of it, layers whose window it passes: they keep their size whatever is removed
};

/// Where a context's cache is.
struct ContextResidency {
  Configuration placement;         // where it is now
  std::uint64_t stored_bytes = 0;  // of the placed entry, 0 when not stored
  bool pinned = false;             // being read: must not move now
  bool archived = false;           // the original exists, so any configuration can be built
};

/// How often a context is asked about.
struct ContextDemand {
  double frequency = 0;           // decayed requests, in units of requests
  std::uint64_t last_access = 0;  // request counter at the last access; 0 = never
};

/// What policies and predictions see of a context. A part takes the base that it needs.
struct ContextState : ContextFacts, ContextResidency, ContextDemand {
  std::shared_ptr<const ContextProfile> profile;  // null or empty: not profiled yet
};

/// What a planning policy may choose; empty: everything that is profiled. ("none", 0) is always allowed. And by which
/// end of what is known of their quality it chooses.
struct PlanCandidates {
  std::vector<std::string> methods;
  std::vector<double> fractions;
  QualityBound quality_bound = QualityBound::mean;
  bool operator==(const PlanCandidates&) const = default;
};

struct Snapshot {
  std::uint64_t version = 0;
  double alpha = 1;              // seconds per unit of quality
  std::vector<TierState> tiers;  // fastest first, without the archive
  PrefillModel prefill;
  /// The median of those that were timed while no request ran: a moment in which something else uses the machine, or
  /// in which a processor is faster than it is for long, is no measure. Nothing: not known, as in recorded runs.
  std::optional<PrefillModel> prefill_at_rest;
  QuestionModel question;
  std::vector<CodecCost> codec_costs;   // of the methods that encode rows
  std::optional<HybridServing> hybrid;  // none: stored contexts are loaded
  std::vector<ContextState> contexts;   // ascending by key
  PlanCandidates candidates;

  /// What plans of it read where their policy reads `reading`.
  QualityReading read_by(QualityReading reading) const {
    return candidates.quality_bound == QualityBound::lower ? QualityReading::lower : reading;
  }
  /// Of prefill_at_rest, where that is known.
  const PrefillModel& undisturbed_prefill() const { return prefill_at_rest ? *prefill_at_rest : prefill; }
};

enum class ActionKind : std::uint8_t { store, compress, demote, promote, evict };
const char* to_string(ActionKind kind);

/// One change of one context's configuration, with a reason for the user.
struct PlacementAction {
  Digest128 context;
  ActionKind kind = ActionKind::store;
  Configuration from, to;
  std::uint64_t bytes_before = 0, bytes_after = 0;
  double utility_drop = 0;  // of the deciding step; 0 when nothing was lost
  std::string reason;       // e.g. "least utility drop 0.012; next best: context c07 to ssd, 0.019"
};

struct PlannedContext {
  Configuration configuration;
  std::uint64_t bytes = 0;
  double quality = 0, ttft_seconds = 0, utility = 0;  // predicted; utility: as the policy weighs it
  double utility_drop = 0;                            // of the last step taken on it
  bool quality_assumed = false;                       // not profiled in this configuration: quality is estimated
  std::string reason;
};

/// A full assignment and its predictions; means are weighted by frequency.
struct Plan {
  std::vector<PlannedContext> contexts;   // parallel to Snapshot::contexts
  std::vector<std::uint64_t> used_bytes;  // per tier
  double mean_quality = 0, mean_ttft_seconds = 0;
  double total_utility = 0;                // EvicPress's, whatever the policy weighs: plans of all policies compare
  std::uint64_t steps = 0;                 // greedy steps taken
  std::optional<double> upper_bound = {};  // no assignment has more utility; of policies that search for the optimum
};

/// An event as seen by a policy.
struct PolicyEvent {
  enum class Kind : std::uint8_t {
    context_computed,  // prefilled on a miss: now in memory and in the archive, ready to be stored
    requested,         // a request hit or missed this context
    profile_changed,   // new quality curve
    settings_changed,  // alpha, budgets, candidates or tier models
    commit_failed,     // an action failed; Snapshot is already corrected
  };
  Kind kind = Kind::requested;
  Digest128 context;  // unused for settings_changed
};

}  // namespace kvantage::inline policy
