#include "core/report/formats/report_columns.h"

#include "core/base/json_fields.h"
#include "core/report/report_content.h"
#include "core/report/report_differences.h"

namespace kvantage::inline formats {
namespace {

TableCell low_of(const std::optional<Interval>& interval) { return interval ? TableCell(interval->low) : TableCell(); }
TableCell high_of(const std::optional<Interval>& interval) {
  return interval ? TableCell(interval->high) : TableCell();
}
TableCell count_of(std::size_t number) { return number > 0 ? whole_cell(number) : TableCell(); }

/// What is read first, and where the runs are from.
std::vector<std::pair<std::string, std::string>> facts_of(const ReportContent& content) {
  OrderedJson environment = OrderedJson::object();
  for (const ReportField& field : content.environment) environment[field.name] = field.value;
  return {{"title", valid_utf8(content.title)},
          {"claim", valid_utf8(content.claim)},
          {"environment", dump_json(environment)}};
}

std::vector<TableColumn> columns_of_metrics(bool differences) {
  using enum ColumnType;
  std::vector<TableColumn> columns{{"policy", text}, {"figure", text},     {"part", text},       {"value", real},
                                   {"unit", text},   {"provenance", text}, {"n", whole},         {"contexts", whole},
                                   {"low_95", real}, {"high_95", real},    {"p50", real},        {"p95", real},
                                   {"p99", real},    {"p95_low_95", real}, {"p95_high_95", real}};
  if (differences)
    for (TableColumn column : std::vector<TableColumn>{{"run_value", real},
                                                       {"baseline", text},
                                                       {"baseline_value", real},
                                                       {"baseline_n", whole},
                                                       {"pairs", whole},
                                                       {"judgement", text},
                                                       {"setting_value", text},
                                                       {"baseline_setting_value", text}})
      columns.push_back(std::move(column));
  return columns;
}

/// Columns that a row has beyond those that it names are empty.
void add_row(ColumnTable& table, std::initializer_list<TableCell> cells) {
  auto column = table.columns.begin();
  for (const TableCell& cell : cells) (column++)->add(cell);
  for (; column != table.columns.end(); ++column) column->add({});
}

void add_differences_to(ColumnTable& table, const ReportDifferences& all) {
  const TableCell none;
  for (const SettingDifference& one : all.settings) {
    const std::string value = one.value.is_null() ? std::string() : setting_text(one.value);
    const std::string baseline = one.baseline.is_null() ? std::string() : setting_text(one.baseline);
    add_row(table, {one.run,
                    "setting",
                    one.name,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    none,
                    all.baseline,
                    none,
                    none,
                    none,
                    none,
                    text_or_nothing(value),
                    text_or_nothing(baseline)});
  }
  for (const MetricDifference& one : all.metrics)
    add_row(table, {one.run,
                    "difference",
                    one.metric,
                    one.difference,
                    one.unit,
                    to_string(one.provenance),
                    count_of(one.n),
                    none,
                    low_of(one.interval),
                    high_of(one.interval),
                    none,
                    none,
                    none,
                    none,
                    none,
                    one.value,
                    all.baseline,
                    one.baseline,
                    count_of(one.baseline_n),
                    count_of(one.pairs),
                    text_or_nothing(one.judgment)});
}

}  // namespace

ColumnTable metric_columns(const RunReport& report) {
  const ReportContent content = content_of(report);
  ColumnTable table{"metrics", columns_of_metrics(report.differences.has_value()), facts_of(content)};
  for (const RowMetrics& row : content.metrics)
    for (const ReportMetric& metric : row.metrics)
      add_row(table, {row.policy, metric.name, text_or_nothing(metric.part), cell_of(metric.value),
                      text_or_nothing(metric.unit), to_string(metric.provenance),
                      metric.sampled ? whole_cell(metric.n) : TableCell(),
                      metric.sampled ? whole_cell(metric.contexts) : TableCell(), low_of(metric.interval),
                      high_of(metric.interval), cell_of(metric.p50), cell_of(metric.p95), cell_of(metric.p99),
                      low_of(metric.p95_interval), high_of(metric.p95_interval)});
  if (report.differences) add_differences_to(table, *report.differences);
  return table;
}

ColumnTable chart_columns(const RunReport& report) {
  using enum ColumnType;
  const ReportContent content = content_of(report);
  ColumnTable table{"charts",
                    {{"chart", text},
                     {"part", text},
                     {"series", text},
                     {"provenance", text},
                     {"x", real},
                     {"x_unit", text},
                     {"y", real},
                     {"y_unit", text},
                     {"low_95", real},
                     {"high_95", real},
                     {"n", whole},
                     {"x_low_95", real},
                     {"x_high_95", real},
                     {"x_provenance", text},
                     {"label", text}},
                    facts_of(content)};
  for (const ReportPlot& plot : content.charts)
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points) {
        const auto place = static_cast<std::size_t>(point.x);
        table.add_row({plot.name, text_or_nothing(plot.part), text_or_nothing(series.name),
                       to_string(series.provenance), point.x, text_or_nothing(plot.x_unit), point.y,
                       text_or_nothing(plot.y_unit), low_of(point.interval), high_of(point.interval), count_of(point.n),
                       low_of(point.x_interval), high_of(point.x_interval),
                       series.x_provenance ? TableCell(to_string(*series.x_provenance)) : TableCell(),
                       place < plot.places.size() ? text_or_nothing(plot.places[place].name) : TableCell()});
      }
  return table;
}

ColumnTable fact_columns(const RunReport& report) {
  using enum ColumnType;
  const ReportContent content = content_of(report);
  ColumnTable table{
      "facts",
      {{"section", text}, {"name", text}, {"part", text}, {"value", text}, {"unit", text}, {"formula", text}},
      facts_of(content)};
  const auto add = [&table](const char* section, const std::string& name, const std::string& part,
                            const std::string& value, const std::string& unit = {}, const std::string& formula = {}) {
    table.add_row({section, text_or_nothing(name), text_or_nothing(part), text_or_nothing(value), text_or_nothing(unit),
                   text_or_nothing(formula)});
  };
  add("report", "title", "", content.title);
  add("report", "claim", "", content.claim);
  for (const std::string& note : content.notes) add("report", "note", "", note);
  for (std::size_t i = 0; i < content.commands.size(); ++i)
    add("command", std::to_string(i + 1), "", content.commands[i]);
  for (const ReportField& field : content.environment) add("environment", field.name, "", field.value);
  for (const ReportField& field : content.settings) add("setting", field.name, "", field.value);
  for (const ReportFault& fault : content.faults) add("faults_injected", fault.policy, fault.tier, fault.faults);
  for (const ReportPlot& plot : content.charts) {
    add("chart_title", plot.name, plot.part, plot.title);
    add("chart_note", plot.name, plot.part, plot.note);
    add("chart_x", plot.name, plot.part, plot.x_label, plot.x_unit);
    add("chart_y", plot.name, plot.part, plot.y_label, plot.y_unit);
  }
  for (const MetricDefinition& metric : content.definitions)
    add("definition", metric.name, "", metric.meaning, metric.unit, metric.formula);
  return table;
}

}  // namespace kvantage::inline formats
