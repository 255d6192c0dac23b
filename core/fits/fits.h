// Cost fits from live samples. Median of pairwise slopes (Theil-Sen) rather than least squares: one outlier load must
// not move a prediction.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/tier_report.h"

namespace kvantage::inline fits {

struct Line {
  double intercept = 0;
  double slope = 0;
};
/// Theil-Sen line through (x, y): median of pairwise slopes, then median of residuals; both clamped at 0, as a cost is
/// neither negative at size 0 nor decreasing in size. With little spread in x (under 10 %) the slope of `prior` is kept
/// and only scaled: slope = median(y - prior.intercept) / x. The prior's slope is also used where y does not grow with
/// x.
Line robust_line(std::span<const double> x, std::span<const double> y, const Line& prior);

/// Load cost of one tier. Uses the samples of its startup timing, which vary in size and so fix the slope, and the
/// newest 64 live loads.
class TierFit {
 public:
  static constexpr double fastest = 1e12;  // bytes per second: a finite rate for "no known limit"
  /// The best that throttling allows; a faster fit would be noise. 0: no such limit.
  struct Limits {
    double bytes_per_second = 0;
    double latency_seconds = 0;
  };
  TierFit() = default;
  /// Without samples, the limits are the prediction.
  explicit TierFit(Limits limits) : limits_(limits) {
    model_.bytes_per_second = limits.bytes_per_second > 0 ? limits.bytes_per_second : fastest;
    model_.latency_seconds = limits.latency_seconds;
  }
  /// device_seconds: time on the device, throttling included. anchor: never discarded.
  void add(double bytes, double kept_tokens, double device_seconds, double decode_seconds, bool anchor = false);
  const TierModel& model() const { return model_; }
  int samples() const { return samples_; }
  /// The loads that it is based on, each with its residual, and the error over live loads.
  TierFitReport report() const;

 private:
  struct Sample {
    double bytes, kept_tokens, device_seconds, decode_seconds;
    double predicted_seconds;  // on the device, by the fit before this sample
  };
  void fit();
  double device_seconds(double bytes) const { return model_.seconds(bytes, 0) - unpack_base_; }

  Limits limits_;
  std::vector<Sample> anchors_;
  std::deque<Sample> window_;
  TierModel model_;
  // Of unpacking, whatever the number of tokens: a part of model_.latency_seconds. Without it, tokens of short entries
  // would seem dear, and those of long ones would follow.
  double unpack_base_ = 0;
  int samples_ = 0;
};

/// Context prefill by tokens: base of 0 or more, linear and quadratic part by least squares over the samples, each
/// clamped at 0.
PrefillModel fit_prefill(std::span<const double> tokens, std::span<const double> seconds);
QuestionModel fit_question(std::span<const double> kept_tokens, std::span<const double> seconds);

}  // namespace kvantage::inline fits
