#include "ui/live/frontier/model/curve_knee.h"

#include <algorithm>
#include <cmath>

namespace kvantage {

std::optional<double> knee_alpha(const FrontierCurve& curve) {
  if (curve.samples.size() < 3) return std::nullopt;
  const auto quality = [](const FrontierSample& sample) { return sample.mean.quality; };
  const auto seconds = [](const FrontierSample& sample) { return std::log(std::max(sample.mean.ttft_seconds, 1e-9)); };
  const auto [worst, best] = std::ranges::minmax(curve.samples, {}, quality);
  const auto [fastest, slowest] = std::ranges::minmax(curve.samples, {}, seconds);
  const double quality_range = quality(best) - quality(worst), time_range = seconds(slowest) - seconds(fastest);
  if (quality_range < 1e-6 || time_range < 1e-6) return std::nullopt;
  const auto above = [&](const FrontierSample& sample) {
    return (quality(sample) - quality(worst)) / quality_range - (seconds(sample) - seconds(fastest)) / time_range;
  };
  const FrontierSample* knee = &curve.samples.front();
  for (const FrontierSample& sample : curve.samples)
    if (above(sample) > above(*knee) + 1e-9) knee = &sample;
  constexpr double min_bend = 0.05;  // of the ranges: a straight or sagging curve would give its fastest sample
  return above(*knee) >= min_bend ? std::optional(knee->alpha) : std::nullopt;
}

}  // namespace kvantage
