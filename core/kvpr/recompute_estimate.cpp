#include "core/kvpr/recompute_estimate.h"

#include <algorithm>
#include <vector>

namespace kvantage::inline kvpr {
namespace {

/// For an even count the larger middle value.
double estimate_median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

}  // namespace

void RecomputeEstimate::learn(double rest_seconds, double recompute_seconds, int tokens) {
  steps_.push_back({std::max(0.0, rest_seconds), {}});
  if (tokens > 0) steps_.back().seconds_per_token = recompute_seconds / tokens;
  if (steps_.size() > newest) steps_.pop_front();
}

RecomputeRate RecomputeEstimate::rate() const {
  std::vector<double> rates;
  for (const Step& step : steps_)
    if (step.seconds_per_token) rates.push_back(*step.seconds_per_token);
  return rates.empty() ? rate_ : RecomputeRate{0, estimate_median(std::move(rates))};
}

double RecomputeEstimate::rest_seconds() const {
  std::vector<double> rests;
  for (const Step& step : steps_) rests.push_back(step.rest_seconds);
  return rests.empty() ? rest_seconds_ : estimate_median(std::move(rests));
}

int RecomputeEstimate::recomputed_tokens(const RecomputeCosts& costs, int tokens, std::span<const int> ends) const {
  const bool measured =
      std::ranges::any_of(steps_, [](const Step& step) { return step.seconds_per_token.has_value(); });
  if (steps_.size() == newest && !measured) return ends.front();
  return solve_split(costs, tokens, ends).recomputed_tokens;
}

}  // namespace kvantage::inline kvpr
