// Policies that do not use alpha, simulated: in their steady state, and as they would have done so far.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "ui/live/frontier/model/frontier_request.h"
#include "ui/live/frontier/model/frontier_types.h"
#include "ui/live/frontier/model/what_if_baselines.h"

namespace kvantage {

/// Of a policy on which alpha has no effect, in the steady state; nothing for another one, and where no request of the
/// family was drawn.
std::optional<SimulatedPoint> steady_point(const std::string& text, const Snapshot& steady, const QString& family);

/// The simulated points of a request and what its plan leaves of the bound. `served_by_what_if` feeds the what-if
/// baselines what the live engine served since, under these policies. Nothing when `stopping`.
std::optional<FrontierPrediction> simulated_points(
    const PlannerJob& job, const WhatIfBaselines& what_if,
    const std::function<void(const std::vector<std::string>&)>& served_by_what_if, const std::atomic<bool>& stopping);

}  // namespace kvantage
