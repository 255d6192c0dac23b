// A formula as a policy's text has it, and its values of the present contexts beside EvicPress's utility. Predicted.
#pragma once

#include <QString>
#include <cstddef>
#include <string>
#include <vector>

#include "core/policy/formula/formula.h"
#include "core/policy/types.h"

namespace kvantage {

/// The expression of "formula(EXPRESSION,drop=best)"; empty: another policy.
std::string formula_expression(const std::string& policy);
/// The same policy with another expression, or without options where `policy` is another one.
std::string with_formula_expression(const std::string& policy, const std::string& expression);

struct FormulaPoint {
  QString context, configuration;  // as it is placed now
  double evicpress_seconds = 0;    // (alpha * quality - TTFT) * request frequency
  double value = 0;                // of the formula
  bool operator==(const FormulaPoint&) const = default;
};

struct FormulaPoints {
  std::vector<FormulaPoint> points;
  std::size_t undefined = 0;  // contexts whose value is not finite; they have no point
  bool operator==(const FormulaPoints&) const = default;
};

/// Of at most so many contexts, the first by key.
inline constexpr std::size_t max_formula_points = 1000;

/// Before the first request all contexts count as requested once.
FormulaPoints formula_points(const Snapshot& snapshot, double alpha, const Formula& formula);

}  // namespace kvantage
