// What is known of the quality of one context's forms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/decode_option.h"

namespace kvantage::inline policy {

/// Which quality of a form a plan takes: the one expected of future questions (quality_pool.h), the mean over the
/// profile's own, or the lower end of the expected one's interval.
enum class QualityReading : std::uint8_t { pooled, raw, lower };
/// A session's choice, above that of its policy: the mean as the policy reads it, or the lower end of the interval.
enum class QualityBound : std::uint8_t { mean, lower };

/// Measured quality of one context under one method and removed fraction, over n profile questions. n = 0 with an
/// expected_low: pooled, that is, estimated from similar contexts and the rest of the curve alone; quality and its
/// interval are then that estimate. n = 0 without: nothing could be scored.
struct ProfilePoint {
  std::string method = "none";
  double removed_fraction = 0;
  double quality = 0;                        // mean of the metric that enters the utility, 0..1
  double quality_low = 0, quality_high = 0;  // 95 % interval
  int n = 0;
  std::uint64_t bytes = 0;  // entry in its serial form, headers included
  int kept_tokens = 0;
  double expected_quality = -1;  // on future questions (quality_pool.h); below 0: unknown
  double estimate() const { return expected_quality >= 0 ? expected_quality : quality; }
  std::optional<double> expected_low = {};  // lower end of its 95 % interval; nothing: only the interval of `quality`
  double lower_bound() const { return expected_low.value_or(std::min(quality_low, estimate())); }
  double estimate(QualityReading reading) const {
    if (reading == QualityReading::lower) return lower_bound();
    return reading == QualityReading::raw ? quality : estimate();
  }
  bool pooled() const { return n == 0 && expected_low.has_value(); }
};

/// Score of an answer to another question on the profile questions of a context; n = 0: unknown.
struct ProfileChance {
  double mean = 0, low = 0, high = 0;  // 95 % interval
  int n = 0;
};

/// Quality curves of one context. A profiled context always has the point ("none", 0).
struct ContextProfile {
  std::vector<ProfilePoint> points;
  ProfileChance chance = {};
  std::vector<DecodeOption> decode_options = {};  // of the session, "none" first; empty: not profiled
  bool empty() const { return points.empty(); }
};

}  // namespace kvantage::inline policy
