#include "ui/runs/compare/model/forest_rows.h"

#include <QCoreApplication>
#include <cmath>
#include <utility>

#include "core/base/units.h"
#include "core/report/answer_basis.h"
#include "ui/runs/model/run_comparison_model.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ForestRowsText {
  Q_DECLARE_TR_FUNCTIONS(ForestRowsText)
};

bool is_quality(const ComparedMetric& metric) { return !compared_quality_metric(metric.name).empty(); }

/// Whether a difference can be said in percent of the baseline. The interval of a difference may pass the baseline's
/// value, which is itself a mean of answers, but nothing is faster by more than 100 %.
bool is_relative(const ComparedMetric& metric, const ComparedValue& value, double baseline) {
  return metric.unit != "1" && metric.unit != "%" && baseline > 0 &&
         !(value.delta_interval && value.delta_interval->low < -baseline);
}

QString amount_unit(const ComparedMetric& metric, bool relative) {
  if (relative) return QStringLiteral(" %");
  if (metric.unit == "%") return ForestRowsText::tr(" points");
  return metric.unit == "1" || metric.unit.empty() ? QString() : ' ' + to_q(metric.unit);
}

/// Without a sign, which the word before it has: "12 % (8 to 16 %)".
QString amount_in_words(const ComparedMetric& metric, const ComparedValue& value, double baseline) {
  const double sign = *value.delta < 0 ? -1 : 1;
  const bool relative = is_relative(metric, value, baseline);
  const double scale = relative ? sign * 100 / baseline : sign;
  const double amount = *value.delta * scale;
  const int digits = !relative ? compared_digits(metric.unit) : std::abs(amount) < 10 ? 1 : 0;
  const QString unit = amount_unit(metric, relative);
  const auto number = [digits](double one) { return to_q(format_fixed(one, digits)); };
  if (!value.delta_interval) return number(amount) + unit;
  double low = value.delta_interval->low * scale, high = value.delta_interval->high * scale;
  if (low > high) std::swap(low, high);
  return ForestRowsText::tr("%1%2 (%3 to %4%2)").arg(number(amount), unit, number(low), number(high));
}

QString direction_text(const ComparedMetric& metric, double delta, const QString& letter, const QString& amount) {
  const bool lower = delta < 0;
  if (metric.unit == "ms")
    return (lower ? ForestRowsText::tr("%1 is faster by %2") : ForestRowsText::tr("%1 is slower by %2"))
        .arg(letter, amount);
  if (is_quality(metric))
    return (lower ? ForestRowsText::tr("%1 is worse by %2") : ForestRowsText::tr("%1 is better by %2"))
        .arg(letter, amount);
  return (lower ? ForestRowsText::tr("%1 is lower by %2") : ForestRowsText::tr("%1 is higher by %2"))
      .arg(letter, amount);
}

}  // namespace

MetricGroup metric_group(const ComparedMetric& metric) {
  if (metric.unit == "ms") return MetricGroup::latency;
  if (is_quality(metric)) return MetricGroup::quality;
  if (metric.unit == "%" || metric.name.starts_with("decode_offload")) return MetricGroup::tiers;
  return MetricGroup::cost;
}

QString metric_group_text(MetricGroup group) {
  switch (group) {
    case MetricGroup::latency:
      return ForestRowsText::tr("Latency");
    case MetricGroup::quality:
      return ForestRowsText::tr("Quality");
    case MetricGroup::tiers:
      return ForestRowsText::tr("Tiers");
    case MetricGroup::cost:
      return ForestRowsText::tr("Cost");
  }
  return {};
}

bool is_significant(Judgment judgment) { return judgment == Judgment::better || judgment == Judgment::worse; }

std::optional<ForestMark> forest_mark(const RunComparison& comparison, const ComparedMetric& metric, std::size_t side) {
  if (side == comparison.baseline || side >= metric.values.size()) return std::nullopt;
  const auto &value = metric.values[side], &base = metric.values[comparison.baseline];
  if (!value || !base || !value->delta || base->value == 0) return std::nullopt;
  const double scale = 1 / std::abs(base->value);
  ForestMark mark{side, *value->delta * scale, {}, value->judgment};
  if (value->delta_interval)
    mark.interval = Interval{value->delta_interval->low * scale, value->delta_interval->high * scale};
  return std::isfinite(mark.difference) ? std::optional(mark) : std::nullopt;
}

QString difference_text(const RunComparison& comparison, const ComparedMetric& metric, std::size_t side) {
  if (side == comparison.baseline || side >= metric.values.size()) return {};
  const auto &value = metric.values[side], &base = metric.values[comparison.baseline];
  const QString letter = RunComparisonModel::letter(static_cast<int>(side));
  if (!value) return ForestRowsText::tr("%1 lacks this metric").arg(letter);
  if (!base) return core_text(std::string_view("the baseline lacks this metric"));
  const auto changed = [&] {
    return direction_text(metric, *value->delta, letter, amount_in_words(metric, *value, base->value));
  };
  switch (value->judgment) {
    case Judgment::none:
      return {};
    case Judgment::better:
    case Judgment::worse:
      return value->pairs > 0 ? changed() : ForestRowsText::tr("%1, other questions").arg(changed());
    case Judgment::no_difference:
      return value->pairs > 0 ? ForestRowsText::tr("not significant (n = %1)").arg(value->pairs)
                              : ForestRowsText::tr("not significant (n = %1 and %2)").arg(base->n).arg(value->n);
    case Judgment::same:
      return ForestRowsText::tr("the same for each of n = %1").arg(value->pairs);
    case Judgment::unknown:
      return ForestRowsText::tr("not known: no interval");
    case Judgment::incomplete:
      return ForestRowsText::tr("not judged: run not complete");
    case Judgment::disturbed:
      return ForestRowsText::tr("not judged: machine disturbed");
    case Judgment::unrepeated:
      return ForestRowsText::tr("%1; not judged: single runs").arg(changed());
    case Judgment::no_quality:
      return ForestRowsText::tr("not judged: no better than chance");
    case Judgment::single:
      return *value->delta == 0 ? ForestRowsText::tr("the same; not judged")
                                : ForestRowsText::tr("%1; not judged").arg(changed());
  }
  return {};
}

}  // namespace kvantage
