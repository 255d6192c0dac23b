// The utility of each way to keep a context as its parts: what quality earns, what TTFT costs, and what all other
// contexts lose when the policy plans around it. In seconds, weighted by request frequency, as planners count it; the
// value of a formula is one part, in its own unit.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/policy/explain/decision.h"

namespace kvantage::inline explain {

struct UtilitySplit {
  Alternative alternative = {};
  double quality_term = 0;                            // alpha * quality * frequency
  double ttft_term = 0;                               // -TTFT * frequency
  std::optional<double> formula_term = std::nullopt;  // instead of both: the value of the policy's formula
  /// Change of the utility of all other contexts, compared with the plan; 0 of the plan's choice. Nothing: not planned,
  /// or the entry alone is larger than its tier.
  std::optional<double> displacement_term = std::nullopt;
  std::vector<Instead::Moved> moved = {};  // other contexts, the greatest loss first
  bool too_large = false;

  /// The utility of the context alone, as a planner sees it.
  double own() const { return formula_term.value_or(quality_term + ttft_term); }
  /// With its effect on others. Differences of two are differences of whole plans.
  double net() const { return own() + displacement_term.value_or(0); }
};

/// The plan's choice and, of each tier and of not storing, the `per_tier` alternatives of highest utility that are not
/// dominated; without displacement. Highest net utility first. Empty for a context without requests: all of its
/// utilities are 0.
std::vector<UtilitySplit> split_utilities(const Decision& decision, std::size_t per_tier = 3);

/// Adds the displacement of each, and sorts again; those that are too large come last. Plans once for each, and
/// for the plan itself. `snapshot` and `policy`: of the decision. Changes nothing for policies that do not weigh
/// utility. false: given up, the splits are as far as they came.
bool add_displacements(const Snapshot& snapshot, const Policy& policy, const Decision& decision,
                       std::vector<UtilitySplit>& splits, const std::function<bool()>& given_up = {});

/// The alpha at which a context by itself values both alike: exact, utility is linear in alpha. Nothing where their
/// quality is the same or no positive alpha does so.
std::optional<double> equal_utility_alpha(const Alternative& one, const Alternative& other);

}  // namespace kvantage::inline explain
