#include "ui/live/frontier/model/simulated_points.h"

#include <chrono>

#include "core/policy/exact_search.h"
#include "core/policy/frontier.h"
#include "core/policy/policy.h"
#include "ui/text/words.h"

namespace kvantage {
std::optional<SimulatedPoint> steady_point(const std::string& text, const Snapshot& steady, const QString& family) {
  const auto policy = make_policy(text);
  if (!policy || (*policy)->uses_alpha()) return std::nullopt;
  const auto [simulated_requests, simulated_seed] = frontier_simulation;
  SimulatedPoint point{to_q(text), {}, 0, false};
  if (family.isEmpty()) {
    const FrontierPoint mean = simulated_point(steady, *policy, simulated_requests, simulated_seed);
    point.mean = {mean.mean_quality, mean.mean_ttft_seconds};
    point.requests = simulated_requests / 2;
    return point;
  }
  const std::vector<std::size_t> drawn = draw_requests(steady, simulated_requests, simulated_seed);
  const SimulationResult result = simulate(steady, *policy, drawn);
  for (std::size_t i = drawn.size() / 2; i < result.requests.size(); ++i) {
    if (steady.contexts[result.requests[i].context].family != from_q(family)) continue;
    ++point.requests;
    point.mean.quality += result.requests[i].quality;
    point.mean.ttft_seconds += result.requests[i].ttft_service_seconds;
  }
  if (point.requests == 0) return std::nullopt;
  point.mean.quality /= static_cast<double>(point.requests);
  point.mean.ttft_seconds /= static_cast<double>(point.requests);
  return point;
}

std::optional<FrontierPrediction> simulated_points(
    const PlannerJob& job, const WhatIfBaselines& what_if,
    const std::function<void(const std::vector<std::string>&)>& served_by_what_if, const std::atomic<bool>& stopping) {
  const PlannerRequest& request = job.request;
  const auto start = std::chrono::steady_clock::now();
  FrontierPrediction prediction;
  prediction.job = job.number;
  prediction.family = request.family;
  Snapshot snapshot = expected_demand(snapshot_under(*request.snapshot, request.settings, request.committed));
  std::vector<std::string> by_what_if;
  for (const std::string& text : request.policies) {
    if (stopping) return std::nullopt;
    const auto policy = make_policy(text);
    if (!policy || (*policy)->uses_alpha()) continue;
    by_what_if.push_back(text);
    if (auto point = steady_point(text, snapshot, request.family)) prediction.simulated.push_back(std::move(*point));
  }
  served_by_what_if(by_what_if);
  if (stopping) return std::nullopt;
  for (SimulatedPoint& point : what_if.points(request.family)) prediction.simulated.push_back(std::move(point));

  if (const auto policy = make_policy(request.settings.policy); policy && (*policy)->uses_alpha()) {
    snapshot.alpha = request.settings.alpha;
    const SearchCancel cancel([&] { return static_cast<bool>(stopping); });
    prediction.gap =
        PlanGap{to_q(request.settings.policy), snapshot.alpha, plan_gap(snapshot, (*policy)->plan(snapshot))};
  }
  prediction.levels = quality_levels(snapshot, from_q(request.family));
  prediction.simulated_known = true;
  prediction.planning_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return prediction;
}

}  // namespace kvantage
