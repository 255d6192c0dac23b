#include "core/report/report_content.h"

#include "core/report/row_plots.h"

namespace kvantage::inline report {
namespace {

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : dump_json(value); }

}  // namespace

std::vector<ReportField> fields_of(const Json& object, const char* left_out) {
  std::vector<ReportField> fields;
  if (!object.is_object()) return fields;
  for (const auto& [key, value] : object.items())
    if (key != left_out) fields.push_back({key, text_of(value)});
  return fields;
}

std::vector<std::string> commands_of(const Json& environment) {
  if (!environment.is_object() || !environment.contains("command")) return {};
  const Json& command = environment.at("command");
  std::vector<std::string> commands;
  for (const Json& one : command.is_array() ? command : Json::array({command})) commands.push_back(text_of(one));
  return commands;
}

const char* to_string(ReportPlot::Kind kind) {
  switch (kind) {
    case ReportPlot::Kind::curves:
      return "curves";
    case ReportPlot::Kind::steps:
      return "steps";
    case ReportPlot::Kind::points:
      return "points";
    case ReportPlot::Kind::means:
      return "means";
    case ReportPlot::Kind::bars:
      return "bars";
    case ReportPlot::Kind::boxes:
      return "boxes";
    case ReportPlot::Kind::histogram:
      return "histogram";
  }
  return "";
}

std::string definition_text(const MetricDefinition& metric) {
  std::string text = metric.name;
  if (!metric.unit.empty()) text += " [" + metric.unit + "]";
  if (!metric.formula.empty()) text += " = " + metric.formula;
  return text + ": " + metric.meaning;
}

ReportContent content_of(const RunReport& report) {
  ReportContent content;
  content.title = report.title;
  content.claim = report.claim;
  content.notes = report.notes;
  content.marks = mark_legend();
  content.charts = plots_of_rows(report);
  content.charts.insert(content.charts.end(), report.plots.begin(), report.plots.end());
  content.tables = tables_of(report);
  content.commands = commands_of(report.environment);
  content.settings = fields_of(report.settings);
  content.environment = fields_of(report.environment, "command");
  for (const PolicyRow& row : report.rows) {
    for (const auto& [tier, faults] : row.faults) content.faults.push_back({row.policy, tier, faults});
    content.metrics.push_back({row.policy, metric_list(row)});
  }
  content.metric_tables = metric_tables(report);
  content.definitions = metric_definitions();
  return content;
}

}  // namespace kvantage::inline report
