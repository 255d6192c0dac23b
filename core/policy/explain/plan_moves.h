// The moves between the plans of two alphas, context by context.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/policy/policy.h"

namespace kvantage::inline explain {

struct ContextMove {
  std::size_t context = 0;
  Configuration from, to;
  std::int64_t bytes_change = 0;
  double quality_before = 0, quality_after = 0;
  double ttft_before_seconds = 0, ttft_after_seconds = 0;
  double utility_change = 0;  // of this move at the second alpha, weighted by frequency
};

struct PlanDifference {
  double first_alpha = 0, second_alpha = 0;
  std::vector<ContextMove> moves;                // the greatest effect on utility first
  double quality_before = 0, quality_after = 0;  // means, weighted by frequency
  double ttft_before_seconds = 0, ttft_after_seconds = 0;
  std::size_t contexts = 0;
  double utility_change = 0;  // of all moves together at the second alpha
};

/// Plans twice. Nothing for policies that do not use alpha, and when `given_up` becomes true.
std::optional<PlanDifference> moves_between(const Snapshot& snapshot, const Policy& policy, double first_alpha,
                                            double second_alpha, const std::function<bool()>& given_up = {});

}  // namespace kvantage::inline explain
