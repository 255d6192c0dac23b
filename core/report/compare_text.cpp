// The text of a comparison, identical in the window, a table and a paper.
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/report/compare_runs.h"
#include "core/report/table.h"

namespace kvantage::inline report {
namespace {

std::string unit_text(const ComparedMetric& metric) { return metric.unit == "1" ? "" : " " + metric.unit; }

// Three significant digits, without an exponent where that stays short.
std::string percent_digits(double value) { return format_fixed(value, std::abs(value) < 10 ? 1 : 0); }

// The amount, larger end first where the word means that: both ends of the interval have the sign of the word. The
// interval is that of the difference, in its own unit. In percent of the baseline's mean, which is random as well, it
// would describe something else.
std::string amount_text(const ComparedMetric& metric, const ComparedValue& value, double base) {
  const bool relative = metric.unit != "1" && metric.unit != "%" && base > 0;
  const double sign = *value.delta < 0 ? -1 : 1;
  const auto text = [&](double number) { return format_fixed(number, compared_digits(metric.unit)); };
  const std::string share = relative ? percent_digits(*value.delta * sign * 100 / base) + " %" : std::string();
  if (relative && !value.delta_interval) return share;
  // A difference of two shares is not a share.
  std::string said = (relative ? share + ": " : share) + text(*value.delta * sign) +
                     (metric.unit == "%" ? " points" : unit_text(metric));
  if (value.delta_interval) {
    double low = value.delta_interval->low * sign, high = value.delta_interval->high * sign;
    if (low > high) std::swap(low, high);
    said += " [" + text(low) + ", " + text(high) + "]";
  }
  return said;
}

}  // namespace

std::string side_notes(const RunComparison& comparison, std::size_t run) {
  std::string text = run == comparison.baseline ? "  (baseline)" : "";
  if (run < comparison.members.size() && comparison.members[run].size() > 1)
    text += "  (" + std::to_string(comparison.members[run].size()) + " runs)";
  if (run < comparison.unfinished.size() && !comparison.unfinished[run].empty())
    text += "  (not complete: " + comparison.unfinished[run] + ")";
  return text;
}

std::string power_text(const ComparedPower& power) {
  const std::string runs = " (these: " + std::to_string(power.runs) + ")";
  static_assert(power_share == 0.1, "the texts say 10 %");
  if (power.estimate.runs > 0 && power.estimate.contexts > 0)
    return power.metric + ": " + std::to_string(power.estimate.runs) + " runs of each side, with " +
           std::to_string(power.estimate.contexts) + " contexts, find a difference of 10 % in 9 of 10 comparisons" +
           runs;
  return power.metric + ": more runs alone do not find a difference of 10 %; serve more contexts" + runs;
}

int compared_digits(std::string_view unit) { return unit == "1" ? 3 : unit == "1/s" ? 2 : 1; }

std::string value_text(const ComparedMetric& metric, const ComparedValue& value) {
  return format_fixed(value.value, compared_digits(metric.unit)) + unit_text(metric) + mark_of(value.provenance);
}

std::string interval_text(const ComparedMetric& metric, const ComparedValue& value) {
  if (!value.interval) return {};
  return "[" + format_fixed(value.interval->low, compared_digits(metric.unit)) + ", " +
         format_fixed(value.interval->high, compared_digits(metric.unit)) + "]";
}

std::string judgment_text(const RunComparison& comparison, const ComparedMetric& metric, std::size_t run) {
  if (run == comparison.baseline || run >= metric.values.size()) return {};
  const auto &value = metric.values[run], &base = metric.values[comparison.baseline];
  if (!value) return {};
  if (!base) return "the baseline lacks this metric";
  const auto runs_of = [&](std::size_t side) {
    return side < comparison.members.size() ? comparison.members[side].size() : 1;
  };
  const std::size_t runs = std::min(runs_of(run), runs_of(comparison.baseline));
  const std::string repeated = runs > 1 ? ", runs = " + std::to_string(runs) : std::string();
  const std::string paired = ", n = " + std::to_string(value->pairs) + repeated;
  const std::string apart =
      " (different questions; n = " + std::to_string(value->n) + " and " + std::to_string(base->n) + ")";
  const std::string number = value->pairs > 0 ? paired : apart;
  switch (value->judgment) {
    case Judgment::none:
      return {};
    case Judgment::better:
      return "better by " + amount_text(metric, *value, base->value) + number;
    case Judgment::worse:
      return "worse by " + amount_text(metric, *value, base->value) + number;
    case Judgment::no_difference:
      return value->pairs > 0 ? "not significant (n = " + std::to_string(value->pairs) + repeated + ")"
                              : "not significant" + apart;
    case Judgment::same:
      return "the same for each of n = " + std::to_string(value->pairs);
    case Judgment::unknown:
      return "not known: questions about a single context give no interval";
    case Judgment::incomplete:
    case Judgment::disturbed:
    case Judgment::unrepeated:
    case Judgment::no_quality:
      return value->verdict;
    case Judgment::single: {
      const double sign = *value->delta;
      return std::string(sign > 0   ? "higher by "
                         : sign < 0 ? "lower by "
                                    : "the same: ") +
             amount_text(metric, *value, base->value) + ", one value per run: not judged";
    }
  }
  return {};
}

}  // namespace kvantage::inline report
