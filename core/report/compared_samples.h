// Per-request comparison of two recorded runs: each metric with its samples, and the verdict on a difference.
//
// A mean is judged by the mean of the per-question differences, a p95 by the difference of the two percentiles. Both
// intervals draw contexts, the same ones for both runs, not requests. With different questions, the two intervals are
// checked for overlap.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/compare_runs.h"

namespace kvantage::inline report {

/// One side of a comparison: a run, or the part of a run under one of its settings.
struct ComparedSide {
  std::string run_id;
  PolicyRun run;
  PolicyRow row;
  std::map<std::string, Json> settings;
  std::vector<double> calibration_seconds = {};  // RecordedRun
};

struct ComparedSample {
  enum class Statistic : std::uint8_t { mean, p95 };

  std::string name, unit;
  double factor = 1;  // from the unit of reports to `unit`
  const Distribution* (*distribution)(const PolicyRow&, const std::string& metric) = nullptr;
  std::string metric = {};
  /// The value of one answered request; nothing where it does not count.
  std::function<std::optional<double>(const RequestRecord&)> sample = {};
  bool lower_is_better = true;
  Statistic statistic = Statistic::mean;

  bool is_time() const { return unit == "ms"; }
};

/// Times, share of requests served from tiers, then every quality metric of any side.
std::vector<ComparedSample> compared_samples(const std::vector<ComparedSide>& sides);

/// The metric of one side; nothing without samples.
std::optional<ComparedValue> compared_value(const ComparedSide& side, const ComparedSample& sample);

/// Fills the comparison of `value` (of `side`) with the baseline: difference, interval, judgment, verdict.
void judge(ComparedValue& value, const ComparedSide& side, const ComparedValue& base, const ComparedSide& baseline,
           const ComparedSample& sample);

}  // namespace kvantage::inline report
