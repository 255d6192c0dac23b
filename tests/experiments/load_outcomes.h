// Outcomes of policies under load, made by hand, and what a figure says of them.
#pragma once

#include <QtGlobal>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/experiments/load_figures.h"

namespace kvantage::test::loads {

inline PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality, double rate,
                             double queued, std::string condition = {}) {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}, rate, std::move(condition)};
  for (const char* context : {"a", "b"}) {
    made.samples.push_back({context, "family", "dram", seconds, 0.01, quality, {}, seconds + queued, 0.02});
    made.samples.back().end_to_end_seconds = 2 * seconds + queued;
  }
  return made;
}

inline const PaperFigure& named(const char* name) { return *find_paper_figure(name); }

/// Of a claim of AdaptCache, which is measured.
inline MeasuredSpan measured_of(const FigureResult& figure, const char* claim) {
  const auto found = std::ranges::find(figure.measured, std::string("adaptcache/") + claim, &MeasuredClaim::claim);
  if (found == figure.measured.end()) qFatal("%s is not measured", claim);
  return found->measured;
}

inline bool measures(const FigureResult& figure, const char* claim) {
  return std::ranges::find(figure.measured, std::string("adaptcache/") + claim, &MeasuredClaim::claim) !=
         figure.measured.end();
}

/// The same requests, of AdaptCache's coding task.
inline std::vector<PolicyOutcome> on_code(std::vector<PolicyOutcome> outcomes) {
  for (PolicyOutcome& outcome : outcomes)
    for (PolicySample& sample : outcome.samples) sample.family = "code";
  return outcomes;
}

/// A hundred requests of code about each of two contexts, so many of which the fast tier served.
inline PolicyOutcome hitting(std::string policy, double alpha, int percent) {
  PolicyOutcome made{std::move(policy), alpha, 0.07, 1, {}, 1};
  for (const char* context : {"a", "b"})
    for (int i = 0; i < 100; ++i)
      made.samples.push_back({context, "code", i < percent ? "dram" : "ssd", 0.1, 0.01, 0.8, {}, 0.1, 0.02});
  return made;
}

inline bool has_finding(const FigureResult& figure, const std::string& part) {
  return std::ranges::any_of(figure.findings,
                             [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

inline bool any_time_finding(const FigureResult& figure, const std::string& part) {
  return std::ranges::any_of(figure.time_findings,
                             [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

}  // namespace kvantage::test::loads
