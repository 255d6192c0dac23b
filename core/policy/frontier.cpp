#include "core/policy/frontier.h"

#include <algorithm>
#include <cmath>

#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

/// A full plan with reasons for every alpha, for policies without a cheaper path.
class WholePlans final : public AlphaPlanner {
 public:
  WholePlans(const Policy& policy, const Snapshot& snapshot) : policy_(policy), snapshot_(snapshot) {}
  FrontierPoint at(double alpha) override {
    snapshot_.alpha = alpha;
    const Plan planned = policy_.plan(snapshot_);
    return {alpha, planned.mean_ttft_seconds, planned.mean_quality, planned.total_utility};
  }

 private:
  const Policy& policy_;
  Snapshot snapshot_;
};

}  // namespace

std::unique_ptr<AlphaPlanner> Policy::alpha_planner(const Snapshot& snapshot) const {
  return std::make_unique<WholePlans>(*this, snapshot);
}

std::vector<FrontierPoint> Policy::curve(const Snapshot& snapshot, const std::vector<double>& alphas) const {
  std::vector<FrontierPoint> points;
  if (!uses_alpha()) return points;
  const auto planner = alpha_planner(snapshot);
  for (const double alpha : alphas) points.push_back(planner->at(alpha));
  return points;
}

Snapshot steady_state(Snapshot steady) {
  double total_frequency = 0;
  for (ContextState& context : steady.contexts) {
    context.pinned = false;
    context.archived = context.archived || (context.profile && !context.profile->empty());
    total_frequency += context.frequency;
  }
  if (total_frequency <= 0)
    for (ContextState& context : steady.contexts) context.frequency = 1;
  return steady;
}

Snapshot expected_demand(Snapshot snapshot) {
  Snapshot expected = steady_state(std::move(snapshot));
  double requests = 0, once = 0, never = 0;
  for (const ContextState& context : expected.contexts) {
    requests += context.frequency;
    once += context.frequency > 0 && context.frequency <= 1;
    never += !(context.frequency > 0);
  }
  if (never == 0 || !(requests > 0)) return expected;
  constexpr double most = 0.5;
  const double share = std::min(most, std::max(once, 1.0) / requests);
  const double each = std::min(1.0, requests * share / ((1 - share) * never));
  for (ContextState& context : expected.contexts)
    if (!(context.frequency > 0)) context.frequency = each;
  return expected;
}

std::vector<FrontierPoint> predict_frontier(const Snapshot& snapshot, const Policy& policy,
                                            const std::vector<double>& alphas) {
  return policy.curve(expected_demand(snapshot), alphas);
}

std::vector<double> AlphaScale::grid(std::size_t count) const {
  std::vector<double> alphas;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    alphas.push_back(lowest * std::pow(highest / lowest, share));
  }
  return alphas;
}

AlphaScale alpha_scale(const Snapshot& snapshot) {
  std::vector<double> slowest;
  for (const ContextState& context : snapshot.contexts) {
    double seconds = predict(snapshot, context, {}, 1).ttft_seconds;
    if (!snapshot.tiers.empty()) {
      const int last = static_cast<int>(snapshot.tiers.size()) - 1;
      seconds = std::max(seconds, predict(snapshot, context, {last, "none", 0}, 1).ttft_seconds);
    }
    if (seconds > 0) slowest.push_back(seconds);
  }
  double middle = 1;
  if (!slowest.empty()) {
    const auto half = slowest.begin() + static_cast<std::ptrdiff_t>(slowest.size() / 2);
    std::nth_element(slowest.begin(), half, slowest.end());
    middle = *half;
  }
  return {middle / 100, middle, middle * 100};
}

}  // namespace kvantage::inline policy
