#include "core/experiments/measured_spans.h"

#include "core/base/statistics.h"
#include "core/experiments/blocks.h"

namespace kvantage::inline experiments {

MeasuredSpan paired_difference(std::span<const double> above, std::span<const double> below) {
  std::vector<double> differences(above.size());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = above[i] - below[i];
  const double mean = mean_of(differences);
  const auto interval = bootstrap_interval(differences);
  return {mean, mean, interval, interval};
}

std::optional<MeasuredSpan> paired_ratio(std::span<const double> above, std::span<const double> below) {
  const double most = mean_of(below);
  if (most == 0) return {};
  const double ratio = mean_of(above) / most;
  std::vector<double> linearized(above.size());
  for (std::size_t i = 0; i < linearized.size(); ++i) linearized[i] = ratio + (above[i] - ratio * below[i]) / most;
  const auto interval = bootstrap_interval(linearized);
  return MeasuredSpan{ratio, ratio, interval, interval};
}

void add_claim(FigureResult& result, const std::string& claim, const std::vector<MeasuredSpan>& all, bool of_time) {
  if (!all.empty()) result.measured.push_back({claim, span_of(all), of_time});
}

void add_interval_cells(std::vector<Json>& row, const MeasuredSpan& measured) {
  row.emplace_back(measured.low);
  row.push_back(measured.low_interval ? Json(measured.low_interval->low) : Json());
  row.push_back(measured.low_interval ? Json(measured.low_interval->high) : Json());
}

}  // namespace kvantage::inline experiments
