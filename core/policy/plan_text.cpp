#include "core/policy/plan_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "core/policy/min_drop_solver.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

std::string short_number(double value) {
  if (value == 0) value = 0;  // also converts -0
  std::array<char, 64> buffer{};
  const auto [end, code] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 3);
  if (code != std::errc{}) return "?";
  std::string text(buffer.data(), end);
  // Thousands are read more easily in full: "3000", not "3e+03".
  constexpr double largest_in_full = 1e6;
  if (text.find("e+") == std::string::npos || std::fabs(value) >= largest_in_full) return text;
  const double rounded = std::strtod(text.c_str(), nullptr);
  return std::fabs(rounded) < largest_in_full ? std::to_string(std::llround(rounded)) : text;
}

std::string describe(const Snapshot& snapshot, const Configuration& configuration) {
  const auto tier = static_cast<std::size_t>(configuration.tier);
  if (!configuration.stored() || tier >= snapshot.tiers.size()) return "not stored";
  std::string text = snapshot.tiers[tier].name + ", ";
  if (configuration.method == "none" && same_fraction(configuration.removed_fraction, 0)) return text + "uncompressed";
  text += configuration.method;
  if (!same_fraction(configuration.removed_fraction, 0))
    text += ", " + short_number(100 * configuration.removed_fraction) + " % removed";
  return text;
}

std::string reason_for(const Snapshot& snapshot, const PlanningProblem& problem, std::size_t index,
                       const PlanChoice& choice) {
  const PlanningItem& item = problem.items()[index];
  const std::string least_of = problem.formula() ? "by the formula" : "utility";
  const std::string unit = problem.formula() ? "" : " s";
  std::string reason;
  if (item.fixed) {
    reason = choice.tier == not_stored ? "in use: stays as it is" : "being read: stays where it is";
  } else if (choice.full_tier != not_stored) {
    reason = snapshot.tiers[static_cast<std::size_t>(choice.full_tier)].name +
             " was full; moving this context cost the least " + least_of + " (" + short_number(choice.utility_drop) +
             unit + ")";
    if (choice.rival_item >= 0) {
      const auto rival = static_cast<std::size_t>(choice.rival_item);
      reason += "; runner-up: " + snapshot.contexts[rival].id + " to " +
                describe(snapshot, problem.configuration(rival, choice.rival_option, choice.rival_tier)) + " (" +
                short_number(choice.rival_drop) + unit + ")";
    } else {
      reason += "; no other context could be displaced";
    }
  } else if (choice.tier != not_stored) {
    reason = "its best configuration; nothing had to be displaced";
  } else if (item.frequency <= 0) {
    reason = "not requested yet";
  } else if (item.count == 0) {
    reason = "not computed yet";
  } else {
    reason = "recomputing beats every stored configuration";
  }
  if (item.quality_assumed) reason += "; not profiled yet: quality assumed " + short_number(item.prefill_quality);
  return reason;
}

Plan describe(const Snapshot& snapshot, const PlanningProblem& problem, double alpha, const Assignment& assignment) {
  Plan plan;
  plan.contexts.reserve(assignment.choices.size());
  plan.steps = assignment.steps;
  std::vector<UnsignedWide> used(problem.tiers(), 0);
  std::optional<Formula::Evaluator> evaluate;
  if (problem.formula()) evaluate.emplace(*problem.formula());
  for (std::size_t i = 0; i < assignment.choices.size(); ++i) {
    const PlanChoice& choice = assignment.choices[i];
    const PlanningItem& item = problem.items()[i];
    const ChoiceValue value = value_of(problem, item, choice);
    PlannedContext planned;
    planned.configuration = problem.configuration(i, choice.option, choice.tier);
    planned.bytes = choice.tier == not_stored ? 0 : problem.bytes(choice.option);
    planned.quality = value.quality;
    planned.ttft_seconds = value.ttft_seconds;
    const double weighed = utility(alpha, value.quality, value.ttft_seconds, item.frequency);
    planned.utility = weighed;
    planned.utility_drop = choice.utility_drop;
    planned.quality_assumed = item.quality_assumed;
    planned.reason = reason_for(snapshot, problem, i, choice);
    if (choice.tier != not_stored) used[static_cast<std::size_t>(choice.tier)] += planned.bytes;
    plan.total_utility += weighed;
    if (evaluate)
      planned.utility =
          item.weight * comparable_value((*evaluate)(problem.quantities_of(i, choice.option, choice.tier, alpha)));
    plan.contexts.push_back(std::move(planned));
  }
  for (const UnsignedWide sum : used)
    plan.used_bytes.push_back(
        static_cast<std::uint64_t>(std::min<UnsignedWide>(sum, std::numeric_limits<std::uint64_t>::max())));
  const FrontierPoint totals = summary(problem, alpha, assignment);
  plan.mean_quality = totals.mean_quality;
  plan.mean_ttft_seconds = totals.mean_ttft_seconds;
  return plan;
}

}  // namespace kvantage::inline policy
