// Every metric of a report, listed once: the lines of its CSV, the tables at the end of page, PDF and LaTeX, the
// window's list. A metric added here appears in all of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/table.h"

namespace kvantage::inline report {

struct ReportMetric {
  std::string name, part;       // part: tier, metric or reason; may be empty
  std::string unit;             // s, 1, B, 1/s
  std::optional<double> value;  // the mean of samples, if any; nothing where there is no value
  Provenance provenance = Provenance::measured;
  bool whole = false;  // a count or bytes
  bool sampled = false;
  std::size_t n = 0, contexts = 0;  // of a sampled one
  std::optional<Interval> interval, p95_interval;
  std::optional<double> p50, p95, p99;
};

/// Its part as readers see it; files hold `part`.
std::string part_text(const ReportMetric& metric);

/// The metrics of one row, in the order of docs/metrics.md; (name, part) is unique.
std::vector<ReportMetric> metric_list(const PolicyRow& row);

/// A value for display: whole ones with every digit, others with six significant digits, always with a point, never
/// with an exponent. CSV and JSON hold every digit.
std::string metric_text(double value, bool whole);
/// "[0.0123400, 0.0150000]" by the same rule, "-" for a missing interval.
std::string metric_text(const std::optional<Interval>& interval);

/// One table per row: every metric with interval, n and percentiles.
std::vector<Table> metric_tables(const RunReport& report);

}  // namespace kvantage::inline report
