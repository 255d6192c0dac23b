// Online estimates for the scheduler of partial recomputation: the other compute of a layer, and the rate of
// recomputing keys and values. Uses medians over the newest steps, since other load on the machine affects both.
//
// A rate can only be measured where something is recomputed. One slow step could suggest that recomputation never pays,
// and no later step would correct that. So rates expire with their step, and once none of the newest steps has one, the
// next step recomputes the first chunk to measure it.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "core/policy/partial_recompute.h"

namespace kvantage::inline kvpr {

class RecomputeEstimate {
 public:
  /// Steps in the window, and the maximum without a measured rate.
  static constexpr int newest = 7;

  /// The initial measurements are used until there are steps; the rate also while no step in the window has one.
  RecomputeEstimate(const RecomputeRate& rate, double rest_seconds) : rate_(rate), rest_seconds_(rest_seconds) {}

  /// Adds a step, per layer: its other compute, and `tokens` tokens recomputed in `recompute_seconds`.
  void learn(double rest_seconds, double recompute_seconds, int tokens);

  RecomputeRate rate() const;
  double rest_seconds() const;
  /// l of the next step, 0 or one of `ends` (at least one): from solve_split(), the first when a rate must be measured.
  int recomputed_tokens(const RecomputeCosts& costs, int tokens, std::span<const int> ends) const;

 private:
  struct Step {
    double rest_seconds = 0;
    std::optional<double> seconds_per_token;  // none: nothing was recomputed
  };

  RecomputeRate rate_;
  double rest_seconds_;
  std::deque<Step> steps_;
};

}  // namespace kvantage::inline kvpr
