#include "ui/live/frontier/model/frontier_comparison.h"

#include <algorithm>

namespace kvantage {

std::optional<double> seconds_at_quality(const FrontierCurve& curve, double quality) {
  std::optional<double> lowest;
  const auto offer = [&lowest](double seconds) { lowest = lowest ? std::min(*lowest, seconds) : seconds; };
  for (std::size_t i = 0; i < curve.samples.size(); ++i) {
    const FrontierMean& here = curve.samples[i].mean;
    if (here.quality >= quality) offer(here.ttft_seconds);
    if (i == 0) continue;
    const FrontierMean& before = curve.samples[i - 1].mean;
    if ((before.quality < quality) == (here.quality < quality)) continue;
    const double t = (quality - before.quality) / (here.quality - before.quality);
    offer(before.ttft_seconds + t * (here.ttft_seconds - before.ttft_seconds));
  }
  return lowest;
}

std::vector<FasterForm> faster_forms(const FrontierCurve& curve, const std::vector<SimulatedPoint>& points) {
  std::vector<FasterForm> faster;
  if (curve.samples.empty()) return faster;
  for (const SimulatedPoint& point : points) {
    if (point.what_if || !point.policy.startsWith(QStringLiteral("fixed("))) continue;
    const auto seconds = seconds_at_quality(curve, point.mean.quality * (1 - comparison_tolerance));
    if (!seconds || *seconds > point.mean.ttft_seconds * (1 + comparison_tolerance))
      faster.push_back({point.policy, point.mean, seconds});
  }
  return faster;
}

}  // namespace kvantage
