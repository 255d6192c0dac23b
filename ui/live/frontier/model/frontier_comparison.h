// Where a fixed configuration beats the predicted curve: same quality, less time to first token.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/live/frontier/model/frontier_types.h"

namespace kvantage {

/// A fixed configuration whose simulated point no point of the curve matches.
struct FasterForm {
  QString policy;
  FrontierMean mean;
  std::optional<double> curve_seconds;  // the curve's lowest TTFT at this quality or above; nothing: it stays below it
};

/// TTFT and quality of predictions are compared to this share: simulated draws differ by more from run to run.
inline constexpr double comparison_tolerance = 0.01;

/// The lowest TTFT at which the curve has at least `quality`, between two samples by linear interpolation; nothing when
/// it never has.
std::optional<double> seconds_at_quality(const FrontierCurve& curve, double quality);

/// Of the steady-state points of fixed(...) in `points`, those that are faster than `curve` at their quality.
std::vector<FasterForm> faster_forms(const FrontierCurve& curve, const std::vector<SimulatedPoint>& points);

}  // namespace kvantage
