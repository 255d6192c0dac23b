// Fits of what things cost in time, from live samples. Medians of pairs (Theil-Sen) rather than least squares: one
// disturbed load must not move a prediction.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/policy/types.h"

namespace kvantage {

struct Line {
  double intercept = 0;
  double slope = 0;
};
/// Theil-Sen line through (x, y): median of pairwise slopes, then median of residuals; both clamped at 0, as a cost
/// neither starts below nothing nor falls with size. With no spread in x (under 2 %) the slope of `prior` is kept and
/// only scaled: slope = median(y - prior.intercept) / x.
Line robust_line(std::span<const double> x, std::span<const double> y, const Line& prior);

/// Cost of loading from one tier; the newest 64 samples count.
class TierFit {
 public:
  explicit TierFit(TierModel prior = {}) : model_(prior) {}
  void add(double bytes, double kept_tokens, double load_seconds, double decode_seconds);
  const TierModel& model() const { return model_; }
  int samples() const { return samples_; }

 private:
  struct Sample {
    double bytes, kept_tokens, load_seconds, decode_seconds;
  };
  std::deque<Sample> window_;
  TierModel model_;
  int samples_ = 0;
};

/// Context prefill by tokens: base 0 or more, linear and quadratic part by least squares over the samples, each
/// clamped at 0.
PrefillModel fit_prefill(std::span<const double> tokens, std::span<const double> seconds);
QuestionModel fit_question(std::span<const double> kept_tokens, std::span<const double> seconds);

}  // namespace kvantage
