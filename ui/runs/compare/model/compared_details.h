// What a comparison of recorded runs is made of: the value of each metric in each context, every setting, and which
// runs repeat others.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/report/compare_runs.h"

namespace kvantage {

struct ContextValue {
  double value = 0;   // mean over these answers, p95 where the metric is one; in the metric's unit
  std::size_t n = 0;  // answers
};
/// By context id, a map for each side of the comparison.
using ContextValues = std::vector<std::map<std::string, ContextValue>>;

struct ComparedDetails {
  std::map<std::string, ContextValues> contexts;  // by metric; metrics of one value per run have none
  std::vector<DifferingSetting> settings;         // every setting that a side has, in order of their names
  std::vector<std::string> repeats;               // for each side the id of the run that it repeats; empty: none
};

/// `comparison` is that of `runs` in this unit, with repetitions joined. Samples and settings are those of core/report.
ComparedDetails compared_details(const std::vector<RecordedRun>& runs, const RunComparison& comparison,
                                 ComparedUnit unit);

}  // namespace kvantage
