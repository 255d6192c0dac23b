// A comparison as CSV and LaTeX.
#include "core/base/json_fields.h"
#include "core/base/shown_text.h"
#include "core/report/formats/compare_formats.h"
#include "core/report/formats/latex.h"

namespace kvantage::inline formats {
namespace {

std::string json_text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? valid_utf8(value.get_ref<const std::string&>()) : dump_json(value);
}

std::string cell(const std::string& text) { return csv_cell(text); }

// Every digit, so that values survive a round trip.
std::string number(double value) { return dump_json(Json(value)); }

std::string letter_of(std::size_t run) { return std::string(1, static_cast<char>('A' + run)); }

Table figure_table(const RunComparison& comparison) {
  Table table;
  table.title = "Figures";
  table.note = "mean, 95 % interval, n; against " + letter_of(comparison.baseline);
  table.columns.push_back("figure");
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) table.columns.push_back(letter_of(i));
  for (const ComparedMetric& metric : comparison.metrics) {
    std::vector<Cell> row{{.text = metric.name, .metric = false, .left = true}};
    std::vector<Cell> said{{.text = "", .metric = false, .left = true}};
    bool any = false;
    for (std::size_t i = 0; i < metric.values.size(); ++i) {
      const auto& value = metric.values[i];
      std::string text = value ? value_text(metric, *value) : std::string("-");
      if (value && value->interval) text += " " + interval_text(metric, *value);
      if (value && value->n > 0) text += ", n = " + std::to_string(value->n);
      row.push_back({.text = text, .metric = false, .left = true});
      said.push_back({.text = judgment_text(comparison, metric, i), .metric = false, .left = true});
      any = any || !said.back().text.empty();
    }
    table.rows.push_back(std::move(row));
    if (any) table.rows.push_back(std::move(said));
  }
  return table;
}

}  // namespace

std::string to_csv(const RunComparison& comparison) {
  std::string text =
      "kind,name,run_id,run,value,unit,n,contexts,low_95,high_95,provenance,delta,delta_low_95,delta_high_95,pairs,"
      "judgement\n";
  for (const std::string& note : comparison.notes) text += "note,model,,," + cell(note) + ",,,,,,,,,,,\n";
  for (const DifferingSetting& setting : comparison.settings)
    for (std::size_t i = 0; i < comparison.runs.size(); ++i)
      text += "setting," + cell(setting.name) + "," + cell(comparison.runs[i]) + "," + cell(comparison.names[i]) + "," +
              cell(json_text(setting.values[i])) + ",,,,,,,,,,,\n";
  for (const ComparedMetric& metric : comparison.metrics)
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
      const auto& value = metric.values[i];
      if (!value) continue;
      const auto ends = [](const std::optional<Interval>& interval) {
        return interval ? number(interval->low) + "," + number(interval->high) : std::string(",");
      };
      text += "figure," + cell(metric.name) + "," + cell(comparison.runs[i]) + "," + cell(comparison.names[i]) + "," +
              number(value->value) + "," + metric.unit + "," +
              (value->n > 0 ? std::to_string(value->n) + "," + std::to_string(value->contexts) : std::string(",")) +
              "," + ends(value->interval) + "," + to_string(value->provenance) + "," +
              (value->delta ? number(*value->delta) : std::string()) + "," + ends(value->delta_interval) + "," +
              (value->pairs > 0 ? std::to_string(value->pairs) : std::string()) + "," +
              cell(judgment_text(comparison, metric, i)) + "\n";
    }
  return text;
}

std::string to_latex(const RunComparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i)
    text += latex_comment(letter_of(i) + ": " + comparison.runs[i] + ", " + comparison.names[i] +
                          (i == comparison.baseline ? " (baseline)" : ""));
  for (const std::string& note : comparison.notes) text += latex_comment(note);
  if (!comparison.settings.empty()) {
    Table table;
    table.title = "Settings that differ";
    table.columns.push_back("setting");
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) table.columns.push_back(letter_of(i));
    for (const DifferingSetting& setting : comparison.settings) {
      std::vector<Cell> row{{.text = setting.name, .metric = false, .left = true}};
      for (const Json& value : setting.values) row.push_back({.text = json_text(value), .metric = false, .left = true});
      table.rows.push_back(std::move(row));
    }
    text += "\n" + latex_table(table);
  }
  if (!comparison.metrics.empty()) text += "\n" + latex_table(figure_table(comparison));
  return text + "\n" + latex_comment(mark_legend());
}

}  // namespace kvantage::inline formats
