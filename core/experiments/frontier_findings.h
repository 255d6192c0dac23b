// Findings of EvicPress figure 7 as text: one sentence for each comparison that the paper gives a range for, and for
// each extension how often it is above the upper ends of these ranges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// evicpress by one rule against the others under one budget. Nothing: the others were not run, or full quality is
/// unknown.
struct FrontierComparison {
  double budget_fraction = 0;
  std::string rule = {};  // EvicPressRule::name
  std::optional<Speedups> fixed_speed = {}, fixed_rise = {}, impress_speed = {},
                          impress_rise = {};  // at equal quality, and quality at equal TTFT
  bool full_quality_known = false;
  std::optional<double> chance = {};  // what answers to other questions score, as a share of full quality
  std::optional<MeasuredSpan> prefill = {},
                              lru = {};  // TTFT of these / that of evicpress's fastest point near full quality
};

std::vector<std::string> frontier_findings(const FrontierComparison& compared);

/// Upper ends of section 6's ranges: times at equal quality, relative gain of quality at equal TTFT, and times within
/// 3 % of full quality.
inline constexpr double papers_fixed_speed = 3.77, papers_fixed_rise = 0.554, papers_impress_speed = 5.2,
                        papers_impress_rise = 0.27, papers_prefill_speed = 2.19, papers_lru_speed = 1.56;

/// A comparison under one budget that has an interval is a point. Its number is the mean over the extension's own
/// frontier, of the points that another policy reaches.
struct PointsAbove {
  std::size_t above = 0, points = 0;  // above: the mean is above the paper's upper end
  bool is_half() const { return 2 * above >= points; }
};
/// Of one rule: a comparison for each budget.
PointsAbove points_above_paper(const std::vector<FrontierComparison>& of_budgets);

/// Mean time from arrival to the first token of some runs by part, and mean quality. Seconds; `quality` 0 to 1.
struct TtftBreakdown {
  double ttft = 0, queue = 0, unpack = 0, context_prefill = 0, question = 0;
  std::vector<double> loads = {};  // parallel to the sources; each over all requests, also those of other sources
  double quality = 0;
  std::size_t n = 0;  // requests with known parts; 0: all numbers are 0
  double other() const;
};
/// `sources`: names of tiers, and of what else a hit is served from.
TtftBreakdown ttft_breakdown(const Outcomes& runs, const std::vector<std::string>& sources);

/// For the extension `rule`: "3 of 6 points are above the paper's upper ends", and where that is less than half the
/// largest part of its TTFT, if parts are known.
std::vector<std::string> extension_findings(const std::string& rule, const PointsAbove& above,
                                            const TtftBreakdown& split, const std::vector<std::string>& sources);

}  // namespace kvantage::inline experiments
