// What stands in a report beside its rows. Pure data: filled by the writers of each section, shown by every format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/ports/events.h"

namespace kvantage {

/// How one run stands to the baseline in one figure; how it is judged: core/report/compare_runs.h.
struct FigureDifference {
  std::string run;
  std::string figure, unit;  // ms, 1, %, 1/s
  double baseline = 0, value = 0, difference = 0;
  std::optional<Interval> interval;                    // of the difference, paired
  std::size_t pairs = 0, n = 0, baseline_n = 0;        // pairs 0: other questions were asked; n 0: a single figure of the run
  std::string judgement;                               // "better by 12 % [4, 19], n = 60"
  Provenance provenance = Provenance::measured;        // the weaker of both
};

struct SettingDifference {
  std::string run;
  std::string name;     // "tiers/0/budget_bytes"
  Json baseline, value; // null where it is not set
};

struct ReportDifferences {
  std::string baseline;  // the run that the others are held against, as reports call it
  std::vector<SettingDifference> settings;
  std::vector<FigureDifference> figures;
};

}  // namespace kvantage
