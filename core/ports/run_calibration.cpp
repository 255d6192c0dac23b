#include "core/ports/run_calibration.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline ports {

Expected<std::vector<double>> read_calibration(RunStore& runs, const std::string& run_id) {
  KV_ASSIGN(const auto found, runs.load_result(run_id, calibration_result));
  std::vector<double> seconds;
  if (!found || !found->is_array()) return seconds;
  for (const Json& one : *found) {
    if (!one.is_number()) return std::vector<double>{};
    const double value = one.get<double>();
    if (!std::isfinite(value) || value <= 0) return std::vector<double>{};
    seconds.push_back(value);
  }
  return seconds;
}

double calibration_moved(const std::vector<double>& one, const std::vector<double>& other) {
  if (one.empty() || other.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(one);
  const auto [other_low, other_high] = std::ranges::minmax(other);
  return std::max(high, other_high) / std::min(low, other_low) - 1;
}

}  // namespace kvantage::inline ports
