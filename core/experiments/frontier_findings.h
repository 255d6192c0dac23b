// Findings of EvicPress figure 7 as text: one sentence for each comparison that the paper gives a range for.
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
  std::optional<MeasuredSpan> prefill = {},
                              lru = {};  // TTFT of these / that of evicpress's fastest point near full quality
};

std::vector<std::string> frontier_findings(const FrontierComparison& compared);

}  // namespace kvantage::inline experiments
