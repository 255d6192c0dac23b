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
  std::optional<Interval> interval;              // of the difference, paired
  std::size_t pairs = 0, n = 0, baseline_n = 0;  // pairs 0: other questions were asked; n 0: a single figure of the run
  std::string judgement;                         // "better by 12 % [4, 19], n = 60"
  Provenance provenance = Provenance::measured;  // the weaker of both
};

struct SettingDifference {
  std::string run;
  std::string name;      // "tiers/0/budget_bytes"
  Json baseline, value;  // null where it is not set
};

struct ReportDifferences {
  std::string baseline;  // the run that the others are held against, as reports call it
  std::vector<SettingDifference> settings;
  std::vector<FigureDifference> figures;
};

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<Interval> interval{};    // 95 %, of y
  std::size_t n = 0;                     // what y is the mean of; 0: a single value
  std::optional<Interval> x_interval{};  // 95 %
};

struct PlotSeries {
  std::string name;               // tier, family, run
  std::vector<PlotPoint> points;  // of curves and steps ascending by x
  bool aside = false;             // drawn thin: a budget, a mean since the beginning
  Provenance provenance = Provenance::measured;
  std::optional<Provenance> x_provenance{};  // where it is told apart from that of y
};

/// A bar of several parts.
struct PlotPlace {
  std::string name;   // policy
  std::string total;  // stands behind it, as people read it: "12.3 ms^"
};

/// A chart: its data as every format shows or holds it.
struct ReportPlot {
  /// steps: a value holds until the next. means: one point a series, which stands beside it. bars: x counts `places`
  /// from 0, the series are the parts of each.
  enum class Kind { curves, steps, points, means, bars };

  std::string name, part;  // "occupancy" of "dram"; (name, part) is unique
  std::string title, note;
  std::string x_label, x_unit, y_label, y_unit;  // units: s, MiB, %, 1, ms
  Kind kind = Kind::curves;
  bool diagonal = false;           // x and y are the same quantity: a line where they are equal
  std::vector<PlotSeries> series;  // none is empty
  std::vector<PlotPlace> places{};
};

/// "curves", "steps", ...
const char* to_string(ReportPlot::Kind kind);

}  // namespace kvantage
