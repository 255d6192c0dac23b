// What the Frontier shows, as plain values: predicted curves over alpha, simulated points, measured points.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/session/quality_levels.h"
#include "ui/session/statistics.h"

namespace kvantage {

/// A mean over contexts, weighted by frequency.
struct FrontierMean {
  double quality = 0, ttft_seconds = 0;
};

struct FrontierSample {
  double alpha = 0;
  FrontierMean mean;
};

struct FrontierCurve {
  QString policy;
  std::vector<FrontierSample> samples;  // ascending alpha
  std::uint64_t job = 0;                // that it answers; an older answer does not replace a newer one
};

/// A policy on which alpha has no effect, simulated: over drawn requests in the steady state, or (what-if) over
/// the requests that the live engine served.
struct SimulatedPoint {
  QString policy;
  FrontierMean mean;
  std::uint64_t requests = 0;
  bool what_if = false;
};

/// What a plan leaves of what storing can gain at most: the bound of the linear relaxation (core/policy/lp_bound.h).
struct PlanGap {
  QString policy;
  double alpha = 0, share = 0;
};

/// One of the planner's answers to a question, about one family or (empty) all. Curves that it does not bring stay as
/// they are.
struct FrontierPrediction {
  std::uint64_t job = 0;
  QString family;
  std::vector<FrontierCurve> curves;
  FrontierCurve ahead;  // around the present alpha, before its whole curve; empty: not this answer
  std::optional<SimulatedPoint>
      ahead_point;  // of a policy in the hand that does not use alpha, before all others; nothing: not this answer
  std::vector<SimulatedPoint> simulated;
  bool coarse = false;                           // the curves do not hold every alpha yet
  std::optional<std::vector<QString>> policies;  // whose curves are wanted: those of others go
  bool simulated_known = false;                  // curves come first, simulated points follow
  std::optional<PlanGap> gap;                    // with the simulated points, of the plan in force
  QualityLevels levels;                          // with the simulated points
  double planning_seconds = 0;
  std::uint64_t plans = 0;  // made for curves so far, since the planner began
};

/// What a point says of the requests in a transient: in flight or waiting when the settings changed, or served while
/// placements of the new plan still moved (run_segments.h has the rule).
struct TransientPart {
  std::uint64_t transient_requests = 0;
  std::optional<FrontierMean> transient;  // their means; nothing: none was scored
  bool with_transient = false;            // the point's own means count them, too: nothing is settled yet, or as chosen
};

/// Requests served under one setting of policy, alpha, budgets, tiers and candidates: the settled ones.
struct MeasuredPoint : TransientPart {
  int epoch = 0;
  QString policy, settings;  // settings: lines for the tooltip: budgets and speeds, methods, removed fractions
  QString run;               // that served it; empty: not recorded
  double alpha = 0;
  bool uses_alpha = true;
  bool throttled = false;
  bool simulated = false;  // a session without an engine served them
  bool current = false;
  bool earlier = false;                   // of a run before the present one: a ghost where those are drawn
  MeasuredMean quality, ttft;             // ttft: service time in seconds
  std::optional<FrontierMean> predicted;  // mean of what was predicted for the very same requests
};

}  // namespace kvantage
