#include "core/policy/simulate.h"

#include <algorithm>

#include "core/base/random.h"
#include "core/policy/actions.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

WhatIfSimulation::WhatIfSimulation(const Snapshot& snapshot, std::shared_ptr<const Policy> policy,
                                   SimulationOptions options)
    : state_{snapshot}, policy_(std::move(policy)), options_(options) {
  totals_.hits.assign(snapshot.tiers.size(), 0);
  for (ContextState& context : state_.snapshot.contexts) {
    counter_ = std::max(counter_, context.last_access);
    context.pinned = false;
    if (!options_.cold) continue;
    context.placement = {};
    context.stored_bytes = 0;
    context.frequency = 0;
    context.last_access = 0;
    context.archived = false;
  }
  if (options_.cold) counter_ = 0;
}

SimulatedRequest WhatIfSimulation::request(std::size_t index, std::optional<double> arrival_seconds) {
  Snapshot& snapshot = state_.snapshot;
  const Digest128 key = snapshot.contexts[index].key;
  const bool profiled = find_point(snapshot.contexts[index], "none", 0) != nullptr;
  const Prediction prediction = predict(snapshot, snapshot.contexts[index], snapshot.contexts[index].placement,
                                        profiled ? 1 : mean_uncompressed_quality(snapshot));
  SimulatedRequest served;
  served.context = index;
  served.tier = is_placed(snapshot, snapshot.contexts[index]) ? snapshot.contexts[index].placement.tier : not_stored;
  served.ttft_service_seconds = prediction.ttft_seconds;
  served.quality = prediction.quality;
  const double arrives = arrival_seconds.value_or(free_at_seconds_);
  const double starts = std::max(arrives, free_at_seconds_);
  free_at_seconds_ = starts + served.ttft_service_seconds;
  served.ttft_seconds = free_at_seconds_ - arrives;

  note_request(snapshot, index, ++counter_, options_.half_life_requests);
  handle(PolicyEvent::Kind::requested, key);
  if (served.tier == not_stored) {
    snapshot.contexts[index].archived = true;
    handle(PolicyEvent::Kind::context_computed, key);
  }
  book(served);
  return served;
}

void WhatIfSimulation::follow(const Snapshot& live) {
  std::vector<ContextState> contexts = live.contexts;
  for (ContextState& context : contexts) {
    context.pinned = false;
    const auto index = find_context(state_.snapshot, context.key);
    const ContextState known = index ? state_.snapshot.contexts[*index] : ContextState{};
    context.placement = known.placement;
    context.stored_bytes = known.stored_bytes;
    context.frequency = known.frequency;
    context.last_access = known.last_access;
    context.archived = known.archived;
  }
  state_.snapshot = live;
  state_.snapshot.contexts = std::move(contexts);
  totals_.hits.resize(std::max(totals_.hits.size(), live.tiers.size()), 0);
  handle(PolicyEvent::Kind::settings_changed, {});
}

void WhatIfSimulation::handle(PolicyEvent::Kind kind, const Digest128& context) {
  for (const PlacementAction& action : policy_->advance(state_, {kind, context}).actions) {
    apply(state_.snapshot, action);
    ++totals_.actions;
  }
}

void WhatIfSimulation::book(const SimulatedRequest& served) {
  if (options_.warmup_requests > 0) {
    --options_.warmup_requests;
    return;
  }
  ++totals_.requests;
  if (served.tier != not_stored) ++totals_.hits[static_cast<std::size_t>(served.tier)];
  service_sum_ += served.ttft_service_seconds;
  ttft_sum_ += served.ttft_seconds;
  quality_sum_ += served.quality;
  utility_sum_ += utility(state_.snapshot.alpha, served.quality, served.ttft_service_seconds, 1);
}

SimulationTotals WhatIfSimulation::totals() const {
  SimulationTotals totals = totals_;
  totals.used_bytes = used_bytes(state_.snapshot);
  const double count = totals.requests > 0 ? static_cast<double>(totals.requests) : 1;
  totals.mean_ttft_service_seconds = service_sum_ / count;
  totals.mean_ttft_seconds = ttft_sum_ / count;
  totals.mean_quality = quality_sum_ / count;
  totals.mean_utility = utility_sum_ / count;
  return totals;
}

SimulationResult simulate(const Snapshot& snapshot, std::shared_ptr<const Policy> policy,
                          const std::vector<std::size_t>& requests, const std::vector<double>& arrivals,
                          const SimulationOptions& options) {
  WhatIfSimulation simulation(snapshot, std::move(policy), options);
  SimulationResult result;
  result.requests.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i] < snapshot.contexts.size())
      result.requests.push_back(
          simulation.request(requests[i], i < arrivals.size() ? std::optional(arrivals[i]) : std::nullopt));
  result.totals = simulation.totals();
  return result;
}

std::vector<std::size_t> draw_requests(const Snapshot& snapshot, std::size_t count, std::uint64_t seed) {
  std::vector<double> cumulative;
  double sum = 0;
  for (const ContextState& context : snapshot.contexts) cumulative.push_back(sum += std::max(context.frequency, 0.0));
  if (sum <= 0)
    for (std::size_t i = 0; i < cumulative.size(); ++i) cumulative[i] = sum = static_cast<double>(i + 1);
  std::vector<std::size_t> requests;
  if (cumulative.empty()) return requests;
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), random.uniform() * sum);
    requests.push_back(std::min(static_cast<std::size_t>(found - cumulative.begin()), cumulative.size() - 1));
  }
  return requests;
}

FrontierPoint simulated_point(const Snapshot& snapshot, std::shared_ptr<const Policy> policy, std::size_t requests,
                              std::uint64_t seed) {
  SimulationOptions options;
  options.warmup_requests = requests / 2;
  const SimulationTotals totals =
      simulate(snapshot, std::move(policy), draw_requests(snapshot, requests, seed), {}, options).totals;
  double weight = 0;
  for (const ContextState& context : steady_state(snapshot).contexts) weight += context.frequency;
  return {snapshot.alpha, totals.mean_ttft_service_seconds, totals.mean_quality, totals.mean_utility * weight};
}

}  // namespace kvantage::inline policy
