// Per-request comparison of two recorded runs: each metric with its samples, and the verdict on a difference.
//
// A mean is judged by the mean of the per-question differences, a p95 by the difference of the two percentiles. Both
// intervals draw contexts, the same ones for both runs, not requests; of repeated runs they also have the noise between
// runs. With different questions, the two intervals are checked for overlap.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/chance_level.h"
#include "core/report/compare_runs.h"

namespace kvantage::inline report {

/// One side of a comparison: a run, the part of a run under one of its settings, or the repetitions of one.
struct ComparedSide {
  std::string run_id;
  PolicyRun run;  // of repeated runs: all of their answers
  PolicyRow row;
  std::map<std::string, Json> settings;
  std::vector<double> calibration_seconds = {};          // RecordedRun
  std::string key = {};                                  // equal for repetitions of one command; empty: of none
  std::vector<std::string> members = {};                 // ids of its runs, oldest first
  std::vector<std::vector<RequestRecord>> repeats = {};  // answers by member; empty for a single run
  std::size_t runs() const { return repeats.empty() ? 1 : repeats.size(); }
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

/// Times, share of requests served from tiers, then every quality metric of any side, named by what its scores rest on.
std::vector<ComparedSample> compared_samples(const std::vector<ComparedSide>& sides, const AnswerBasis& basis = {});

/// The metric of one side; nothing without samples.
std::optional<ComparedValue> compared_value(const ComparedSide& side, const ComparedSample& sample);

/// Fills the comparison of `value` (of `side`) with the baseline: difference, interval, judgment, verdict. Returns how
/// many runs find a difference of power_share, for times of repeated runs.
std::optional<PowerEstimate> judge(ComparedValue& value, const ComparedSide& side, const ComparedValue& base,
                                   const ComparedSide& baseline, const ComparedSample& sample);

/// Of the answers of all sides.
std::vector<const PolicyRun*> answering_runs(const std::vector<ComparedSide>& sides);
/// Why the qualities of a metric cannot be compared: uncompressed caches do not answer better than chance. Empty where
/// they can.
std::string quality_gate(const ChanceGate& gate, const std::string& metric);

}  // namespace kvantage::inline report
