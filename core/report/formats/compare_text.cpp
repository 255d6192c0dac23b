#include "core/base/json_fields.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/report/formats/compare_formats.h"
#include "core/report/summary_table.h"

namespace kvantage::inline formats {
namespace {

std::string with_sign(double value, int digits) { return (value > 0 ? "+" : "") + format_fixed(value, digits); }

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

}  // namespace

std::string to_text(const RunComparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i)
    text += run_letter(i) + "  " +
            shown_line(comparison.runs[i] + "  " + comparison.names[i] + side_notes(comparison, i)) + "\n";
  for (const std::string& note : comparison.notes) text += shown_line(note) + "\n";
  text += comparison.settings.empty() ? "\nNo setting differs.\n" : "\nSettings that differ\n";
  for (const DifferingSetting& setting : comparison.settings) {
    std::string line = "  " + setting.name + ": ";
    for (std::size_t i = 0; i < setting.values.size(); ++i)
      line += (i == 0 ? "" : "; ") + run_letter(i) + " " +
              (setting.values[i].is_null() ? "-" : dump_json(setting.values[i]));
    text += shown_line(line) + "\n";
  }
  for (const ComparedMetric& metric : comparison.metrics) {
    const int digits = compared_digits(metric.unit);
    text += "\n" + shown_line(metric.name) + (metric.unit == "1" ? "" : ", " + metric.unit) + "\n";
    for (std::size_t i = 0; i < metric.values.size(); ++i) {
      text += "  " + run_letter(i) + "  ";
      const auto& value = metric.values[i];
      if (!value) {
        text += "-\n";
        continue;
      }
      text += format_fixed(value->value, digits) + mark_of(value->provenance);
      if (value->interval)
        text += " [" + format_fixed(value->interval->low, digits) + ", " + format_fixed(value->interval->high, digits) +
                "]";
      if (value->n > 0)
        text += ", n = " + std::to_string(value->n) + " on " + std::to_string(value->contexts) + " contexts";
      if (value->delta)
        text += "; " + with_sign(*value->delta, digits) + (metric.unit == "1" ? "" : " " + metric.unit) + "; " +
                shown_line(value->verdict);
      text += "\n";
    }
  }
  text += comparison.power.empty() ? "" : "\n";
  for (const ComparedPower& power : comparison.power)
    text += run_letter(power.side) + "  " + shown_line(power_text(power)) + "\n";
  return text + "\n" + mark_legend() + "\n";
}

Json to_json(const RunComparison& comparison) {
  Json settings = Json::array(), metrics = Json::array();
  for (const DifferingSetting& setting : comparison.settings)
    settings.push_back({{"name", setting.name}, {"values", setting.values}});
  for (const ComparedMetric& metric : comparison.metrics) {
    Json values = Json::array();
    for (const auto& value : metric.values) {
      if (!value) {
        values.push_back(nullptr);
        continue;
      }
      values.push_back({{"value", value->value},
                        {"n", value->n},
                        {"contexts", value->contexts},
                        {"interval_95", interval_json(value->interval)},
                        {"provenance", to_string(value->provenance)},
                        {"delta", value->delta ? Json(*value->delta) : Json(nullptr)},
                        {"delta_interval_95", interval_json(value->delta_interval)},
                        {"pairs", value->pairs},
                        {"verdict", value->verdict}});
    }
    metrics.push_back({{"name", metric.name}, {"unit", metric.unit}, {"values", values}});
  }
  Json json{
      {"format", "kvantage-comparison"}, {"version", 1},         {"runs", comparison.runs}, {"names", comparison.names},
      {"baseline", comparison.baseline}, {"settings", settings}, {"figures", metrics}};
  if (!comparison.notes.empty()) json["notes"] = comparison.notes;
  json["run_ids"] = comparison.members;
  Json power = Json::array();
  for (const ComparedPower& one : comparison.power)
    power.push_back({{"name", one.metric},
                     {"side", one.side},
                     {"runs", one.runs},
                     {"difference_share", 0.1},
                     {"runs_needed", one.estimate.runs > 0 ? Json(one.estimate.runs) : Json(nullptr)},
                     {"contexts_needed", one.estimate.contexts > 0 ? Json(one.estimate.contexts) : Json(nullptr)}});
  json["power"] = std::move(power);
  return json;
}

}  // namespace kvantage::inline formats
