// The sections of a report besides its rows. Pure data: filled by each section's code, shown by every format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/ports/events.h"

namespace kvantage::inline report {

/// Difference of one run from the baseline in one metric; judged as in core/report/compare_runs.h.
struct MetricDifference {
  std::string run;
  std::string metric, unit;  // ms, 1, %, 1/s
  double baseline = 0, value = 0, difference = 0;
  std::optional<Interval> interval;              // of the difference, paired
  std::size_t pairs = 0, n = 0, baseline_n = 0;  // pairs 0: different questions; n 0: a single value of the run
  std::string judgment;                          // "better by 12 % [4, 19], n = 60"
  Provenance provenance = Provenance::measured;  // the weaker of the two
};

struct SettingDifference {
  std::string run;
  std::string name;      // "tiers/0/budget_bytes"
  Json baseline, value;  // null where it is not set
};

struct ReportDifferences {
  std::string baseline;  // the baseline run, as named in reports
  std::vector<SettingDifference> settings;
  std::vector<MetricDifference> metrics;
};

/// How many of the questions whose answers were scored have a reference answer (answer_basis.h).
struct AnswerBasis {
  std::size_t with_reference = 0, without_reference = 0;
  bool agreement() const { return without_reference > 0 && with_reference == 0; }
  bool mixed() const { return without_reference > 0 && with_reference > 0; }
  bool operator==(const AnswerBasis&) const = default;
};

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<Interval> interval{};    // 95 %, of y
  std::size_t n = 0;                     // samples behind y; 0: a single value
  std::optional<Interval> x_interval{};  // 95 %
};

struct PlotSeries {
  std::string name;               // tier, family, run
  std::vector<PlotPoint> points;  // curves and steps: ascending in x
  bool aside = false;             // drawn thin: a budget, a running mean
  Provenance provenance = Provenance::measured;
  std::optional<Provenance> x_provenance{};  // if it differs from that of y
  std::string label{};                       // what readers see; empty: the name, which files hold
  const std::string& shown() const { return label.empty() ? name : label; }
};

/// A bar of several parts, or a box.
struct PlotPlace {
  std::string name;   // policy
  std::string total;  // shown after it: "12.3 ms^", "n = 200"
};

/// A chart: the data that every format shows or stores.
struct ReportPlot {
  /// steps: a value holds until the next. means: one labeled point per series. bars: x counts `places` from 0, the
  /// series are the parts of each. boxes: the same, and the series are five in ascending order: the lower whisker, box,
  /// line in it, box and upper whisker. histogram: a point per bin, of its lower edge and its count, then one of the
  /// last edge and 0; the series have the same edges.
  enum class Kind { curves, steps, points, means, bars, boxes, histogram };

  std::string name, part;  // "occupancy" of "dram"; (name, part) is unique
  std::string title, note;
  std::string x_label, x_unit, y_label, y_unit;  // units: s, MiB, %, 1, ms
  Kind kind = Kind::curves;
  bool diagonal = false;           // x and y are the same quantity: draw the identity line
  std::vector<PlotSeries> series;  // none is empty
  std::vector<PlotPlace> places{};
};

/// "curves", "steps", ...
const char* to_string(ReportPlot::Kind kind);

}  // namespace kvantage::inline report
