// Runs of given times to first token, and what a box and a histogram of them hold, computed without the program's own
// statistics.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/report.h"

namespace kvantage::test {

struct TtftRun {
  std::string policy;
  std::vector<double> seconds;  // of each request
};
struct TtftCase {
  const char* name;
  std::vector<TtftRun> runs;
};

inline const std::vector<TtftCase>& ttft_cases() {
  static const std::vector<TtftCase> cases{
      {"one run", {{"lru", {0.05, 0.01, 0.04, 0.02, 0.03}}}},
      {"three runs",
       {{"lru", {0.05, 0.01, 0.04, 0.02, 0.03, 0.021, 0.9}},
        {"gdsf", {0.3, 0.1, 0.25, 0.2}},
        {"evicpress", {0.012, 0.5, 0.013, 0.018, 0.011, 0.4, 0.016, 0.013, 0.0135}}}},
      {"one request", {{"lru", {0.125}}}},
      {"one request in one of three", {{"lru", {0.05, 0.01}}, {"gdsf", {0.02}}, {"evicpress", {0.03, 0.07, 0.02}}}},
      {"equal values", {{"lru", {0.25, 0.25, 0.25}}, {"gdsf", {0.25, 0.25}}}},
      {"all are 0", {{"lru", {0, 0}}}},
      {"a run without requests", {{"lru", {0.05, 0.01, 0.02}}, {"gdsf", {}}, {"evicpress", {0.03, 0.04}}}}};
  return cases;
}

inline RunReport report_of_ttft(const std::vector<TtftRun>& runs) {
  std::vector<PolicyRun> all;
  for (const TtftRun& run : runs) {
    PolicyRun& made = all.emplace_back();
    made.policy = run.policy;
    for (const double seconds : run.seconds) {
      RequestRecord record;
      record.id = made.records.size();
      record.context_id = std::string("c").append(std::to_string(record.id));
      record.policy = run.policy;
      record.source = "prefill";
      record.timing.ttft_service_seconds = record.timing.ttft_seconds = seconds;
      made.records.push_back(record);
    }
  }
  return build_report({}, {}, all);
}

/// Without those that have no request.
inline std::vector<TtftRun> served(std::vector<TtftRun> runs) {
  std::erase_if(runs, [](const TtftRun& run) { return run.seconds.empty(); });
  return runs;
}

/// The sorted values are at 0, 1 / (n - 1), ..., 1, and straight lines join them.
inline double quantile_on_lines(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  if (values.size() == 1) return values.front();
  const double lines = static_cast<double>(values.size()) - 1;
  for (std::size_t line = 0; line + 1 < values.size(); ++line) {
    const double begin = static_cast<double>(line) / lines, end = static_cast<double>(line + 1) / lines;
    if (at <= end) return (values[line] * (end - at) + values[line + 1] * (at - begin)) / (end - begin);
  }
  return values.back();
}

/// The milliseconds that a bin of [from, to) counts; the last also counts its end.
inline std::size_t counted_between(const std::vector<double>& seconds, double from, double to, bool last) {
  std::size_t count = 0;
  for (const double one : seconds) count += one * 1e3 >= from && (last ? one * 1e3 <= to : one * 1e3 < to);
  return count;
}

}  // namespace kvantage::test
