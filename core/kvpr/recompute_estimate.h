// What the scheduler of partial recomputation learns from the steps themselves: what a layer computes besides, and how
// fast keys and values are computed anew. Medians of the newest steps count, as what else runs on the machine moves
// both.
//
// A rate can only be measured where something is computed anew. One slow step may say that nothing is worth it, after
// which no step would say otherwise: so a rate goes with its step, and once none of the newest steps has one, the next
// computes one chunk anew to measure it.
#pragma once

#include <deque>
#include <optional>

#include "core/policy/partial_recompute.h"

namespace kvantage {

class RecomputeEstimate {
 public:
  /// Steps that count, and the most that pass without a measured rate.
  static constexpr int newest = 7;

  /// What was measured beforehand counts until there are steps, the rate also while none of the newest has one.
  RecomputeEstimate(const RecomputeRate& rate, double rest_seconds) : rate_(rate), rest_seconds_(rest_seconds) {}

  /// A step, of one layer: what it computed besides, and `tokens` tokens computed anew in `recompute_seconds`.
  void learn(double rest_seconds, double recompute_seconds, int tokens);

  RecomputeRate rate() const;
  double rest_seconds() const;
  /// l of the next step: as solve_split() has it, at least one unit where a rate is to be measured.
  int recomputed_tokens(const RecomputeCosts& costs, int tokens, int most, int unit) const;

 private:
  struct Step {
    double rest_seconds = 0;
    std::optional<double> seconds_per_token;  // none: nothing was computed anew
  };

  RecomputeRate rate_;
  double rest_seconds_;
  std::deque<Step> steps_;
};

}  // namespace kvantage
