// What is compared of two recorded runs, request by request: each figure with the sample it is taken of, and what a
// sample says of a difference.
//
// A mean is judged by the mean of the differences question by question, p95 by the difference of the two percentiles;
// both intervals draw contexts, the same ones for both runs, not requests. Where other questions were asked, by whether
// the two intervals overlap.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/compare_runs.h"

namespace kvantage {

/// One side of a comparison: a run, or what a run was under one of its settings.
struct ComparedSide {
  std::string run_id;
  PolicyRun run;
  PolicyRow row;
  std::map<std::string, Json> settings;
};

struct ComparedSample {
  enum class Statistic : std::uint8_t { mean, p95 };

  std::string name, unit;
  double factor = 1;  // from the unit of reports to `unit`
  const Distribution* (*distribution)(const PolicyRow&, const std::string& metric) = nullptr;
  std::string metric = {};
  /// Of one answered request; nothing where it does not count.
  std::function<std::optional<double>(const RequestRecord&)> sample = {};
  bool lower_is_better = true;
  Statistic statistic = Statistic::mean;
};

/// Times, share of requests served from tiers, then every quality metric of any side.
std::vector<ComparedSample> compared_samples(const std::vector<ComparedSide>& sides);

/// The figure of one side; nothing when it has no sample.
std::optional<ComparedValue> compared_value(const ComparedSide& side, const ComparedSample& sample);

/// Fills what `value` (of `side`) says against that of the baseline: difference, interval, judgement, verdict.
void judge(ComparedValue& value, const ComparedSide& side, const ComparedValue& base, const ComparedSide& baseline,
           const ComparedSample& sample);

}  // namespace kvantage
