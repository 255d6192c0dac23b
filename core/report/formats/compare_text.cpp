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
  text += comparison.settings.empty() ? "\nNo setting differs.\n" : "\nSettings that differ\n";
  for (const DifferingSetting& setting : comparison.settings) {
    std::string line = "  " + setting.name + ": ";
    for (std::size_t i = 0; i < setting.values.size(); ++i)
      line += (i == 0 ? "" : "; ") + run_letter(i) + " " +
              (setting.values[i].is_null() ? "-" : dump_json(setting.values[i]));
    text += shown_line(line) + "\n";
  }
  for (const ComparedFigure& figure : comparison.figures) {
    const int digits = compared_digits(figure.unit);
    text += "\n" + shown_line(figure.name) + (figure.unit == "1" ? "" : ", " + figure.unit) + "\n";
    for (std::size_t i = 0; i < figure.values.size(); ++i) {
      text += "  " + run_letter(i) + "  ";
      const auto& value = figure.values[i];
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
        text += "; " + with_sign(*value->delta, digits) + (figure.unit == "1" ? "" : " " + figure.unit) + "; " +
                shown_line(value->verdict);
      text += "\n";
    }
  }
  return text + "\n" + mark_legend() + "\n";
}

Json to_json(const RunComparison& comparison) {
  Json settings = Json::array(), figures = Json::array();
  for (const DifferingSetting& setting : comparison.settings)
    settings.push_back({{"name", setting.name}, {"values", setting.values}});
  for (const ComparedFigure& figure : comparison.figures) {
    Json values = Json::array();
    for (const auto& value : figure.values) {
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
    figures.push_back({{"name", figure.name}, {"unit", figure.unit}, {"values", values}});
  }
  return {
      {"format", "kvantage-comparison"}, {"version", 1},         {"runs", comparison.runs}, {"names", comparison.names},
      {"baseline", comparison.baseline}, {"settings", settings}, {"figures", figures}};
}

}  // namespace kvantage::inline formats
