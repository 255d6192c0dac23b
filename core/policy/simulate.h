// Simulates serving a sequence of requests: the same policy code as live, fitted costs instead of real bytes, a virtual
// clock instead of waiting. All results are simulated (`modelled` in files). It yields the points of policies that do
// not use alpha (lru, fixed). Fed with each live request, it yields the what-if baselines: the result of another
// policy.
//
// One server answers requests in order of arrival. Placements change between requests and take no time, as in the live
// engine, where they are off the critical path.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/access_statistics.h"
#include "core/policy/frontier.h"
#include "core/policy/policy.h"

namespace kvantage::inline policy {

struct SimulationOptions {
  bool cold = true;  // starts with nothing stored and no requests; false: with the snapshot's placements
  double half_life_requests = default_half_life_requests;
  std::size_t warmup_requests = 0;  // served first, excluded from the means
};

struct SimulatedRequest {
  std::size_t context = 0;
  int tier = not_stored;  // that served it; not_stored = prefilled
  double ttft_service_seconds = 0;
  double ttft_seconds = 0;  // queueing included
  double quality = 0;
};

struct SimulationTotals {
  std::uint64_t requests = 0;
  double mean_ttft_service_seconds = 0, mean_ttft_seconds = 0, mean_quality = 0;
  double mean_utility = 0;                // alpha * quality - ttft, per request
  std::vector<std::uint64_t> hits;        // per tier
  std::vector<std::uint64_t> used_bytes;  // per tier, now
  std::uint64_t actions = 0;              // placement changes, warm-up included
  double hit_rate(std::size_t tier) const {
    return requests > 0 ? static_cast<double>(hits[tier]) / static_cast<double>(requests) : 0;
  }
};

/// The simulated state of one policy, advanced one request at a time.
class WhatIfSimulation {
 public:
  WhatIfSimulation(const Snapshot& snapshot, std::shared_ptr<const Policy> policy, SimulationOptions options = {});

  /// Serves a request for contexts[context] that arrives `arrival_seconds` after the start (default: as soon as the
  /// previous one is answered).
  SimulatedRequest request(std::size_t context, std::optional<double> arrival_seconds = {});
  /// Copies alpha, tiers, cost models, candidates and profiles from the live snapshot; keeps its own placements. New
  /// contexts are added.
  void follow(const Snapshot& live);

  const Snapshot& snapshot() const { return state_.snapshot; }
  const Policy& policy() const { return *policy_; }
  SimulationTotals totals() const;

 private:
  void handle(PolicyEvent::Kind kind, const Digest128& context);
  void book(const SimulatedRequest& served);

  PolicyState state_;
  std::shared_ptr<const Policy> policy_;
  SimulationOptions options_;
  std::uint64_t counter_ = 0;
  double free_at_seconds_ = 0;
  double service_sum_ = 0, ttft_sum_ = 0, quality_sum_ = 0, utility_sum_ = 0;
  SimulationTotals totals_;
};

struct SimulationResult {
  std::vector<SimulatedRequest> requests;  // warm-up included
  SimulationTotals totals;
};

/// Requests by index into the snapshot's contexts; `arrivals` in seconds, ascending, parallel to them, or empty.
SimulationResult simulate(const Snapshot& snapshot, std::shared_ptr<const Policy> policy,
                          const std::vector<std::size_t>& requests, const std::vector<double>& arrivals = {},
                          const SimulationOptions& options = {});

/// `count` context indices drawn in proportion to the frequencies (uniform before the first request).
std::vector<std::size_t> draw_requests(const Snapshot& snapshot, std::size_t count, std::uint64_t seed);

/// As frontiers show policies that do not use alpha: the first half of the requests fills the tiers, the second counts.
struct FrontierSimulation {
  std::size_t requests = 600;
  std::uint64_t seed = 1;
};
inline constexpr FrontierSimulation frontier_simulation;

/// A policy as one simulated point: `requests` drawn requests from a cold start, the first half excluded from the
/// means. Its utility is scaled to the snapshot's frequencies, so that it compares with the predicted frontier's.
FrontierPoint simulated_point(const Snapshot& snapshot, std::shared_ptr<const Policy> policy, std::size_t requests,
                              std::uint64_t seed);

}  // namespace kvantage::inline policy
