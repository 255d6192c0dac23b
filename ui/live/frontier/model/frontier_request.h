// What the planner is asked: a state of the engine, the settings in the hand, and whose curves are wanted.
#pragma once

#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/session.h"

namespace kvantage {

/// A copy of the snapshot as it would be under `settings`: alpha, budgets, candidates, and for tiers whose shaping
/// differs from `committed` the throttled speed.
Snapshot snapshot_under(const Snapshot& snapshot, const SessionSettings& settings, const SessionSettings& committed);

/// What moves the predicted curve; alpha only moves the marker along it.
bool same_curve(const SessionSettings& a, const SessionSettings& b);

struct PlannerRequest {
  std::shared_ptr<const Snapshot> snapshot;
  SessionSettings settings, committed;
  QString family;  // empty: all contexts
  std::vector<double> alphas;
  std::vector<std::string> policies;  // those that use alpha get a curve, the others a simulated point
};

/// Whether both ask for the same curves, of whatever state.
bool asks_same_curves(const PlannerRequest& a, const PlannerRequest& b);

/// A request with its place in the order of asking.
struct PlannerJob {
  std::uint64_t number = 0;
  std::uint64_t revision = 0;  // counts the requests that moved the curves
  PlannerRequest request;
};

}  // namespace kvantage
