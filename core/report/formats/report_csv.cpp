// One value per line, in the long form for data frames and pivot tables; plus the points of the charts, and a report's
// texts.
#include <charconv>

#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/report/formats/report_formats.h"
#include "core/report/markup.h"
#include "core/report/report_content.h"
#include "core/report/report_differences.h"

namespace kvantage::inline formats {
namespace {

// The shortest form that reads back to the same bits, with a point whatever the locale.
std::string csv_number(const std::optional<double>& value) {
  if (!value) return {};
  char text[32];
  const auto [end, code] = std::to_chars(text, text + sizeof text, *value);
  return code == std::errc() ? std::string(text, end) : std::string();
}

std::string ends(const std::optional<Interval>& interval) {
  return interval ? csv_number(interval->low) + "," + csv_number(interval->high) : std::string(",");
}

// Extra columns where there is a baseline.
constexpr const char* difference_columns = ",run_value,baseline,baseline_value,baseline_n,pairs,judgement";
constexpr const char* no_difference = ",,,,,,";

std::string differences_csv(const ReportDifferences& all) {
  std::string text;
  const std::string baseline = csv_cell(all.baseline);
  for (const SettingDifference& one : all.settings) {
    const auto value = [](const Json& json) { return json.is_null() ? std::string() : csv_cell(setting_text(json)); };
    text += joined({csv_cell(one.run), ",setting,", csv_cell(one.name), ",", value(one.value), ",,,,,,,,,,,,,",
                    baseline, ",", value(one.baseline), ",,,\n"});
  }
  const auto count = [](std::size_t number) { return number > 0 ? std::to_string(number) : std::string(); };
  for (const MetricDifference& one : all.metrics)
    text += joined({csv_cell(one.run),
                    ",difference,",
                    csv_cell(one.metric),
                    ",",
                    csv_number(one.difference),
                    ",",
                    one.unit,
                    ",",
                    to_string(one.provenance),
                    ",",
                    count(one.n),
                    ",,",
                    ends(one.interval),
                    ",,,,,,",
                    csv_number(one.value),
                    ",",
                    baseline,
                    ",",
                    csv_number(one.baseline),
                    ",",
                    count(one.baseline_n),
                    ",",
                    count(one.pairs),
                    ",",
                    csv_cell(one.judgment),
                    "\n"});
  return text;
}

}  // namespace

std::string to_csv(const RunReport& report) {
  std::string text =
      "policy,figure,part,value,unit,provenance,n,contexts,low_95,high_95,p50,p95,p99,p95_low_95,p95_high_95";
  text += joined({report.differences ? difference_columns : "", "\n"});
  for (const RowMetrics& row : content_of(report).metrics)
    for (const ReportMetric& metric : row.metrics) {
      const std::string value =
          metric.value && metric.whole ? format_fixed(*metric.value, 0) : csv_number(metric.value);
      const std::string samples =
          metric.sampled ? joined({std::to_string(metric.n), ",", std::to_string(metric.contexts)}) : std::string(",");
      text += joined({csv_cell(row.policy),
                      ",",
                      metric.name,
                      ",",
                      csv_cell(metric.part),
                      ",",
                      value,
                      ",",
                      metric.unit,
                      ",",
                      to_string(metric.provenance),
                      ",",
                      samples,
                      ",",
                      ends(metric.interval),
                      ",",
                      csv_number(metric.p50),
                      ",",
                      csv_number(metric.p95),
                      ",",
                      csv_number(metric.p99),
                      ",",
                      ends(metric.p95_interval),
                      report.differences ? no_difference : "",
                      "\n"});
    }
  if (report.differences) text += differences_csv(*report.differences);
  return text;
}

std::string to_charts_csv(const RunReport& report) {
  std::string text =
      "chart,part,series,provenance,x,x_unit,y,y_unit,low_95,high_95,n,x_low_95,x_high_95,x_provenance,label\n";
  for (const ReportPlot& plot : content_of(report).charts)
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points) {
        const auto place = static_cast<std::size_t>(point.x);
        text += joined({plot.name,
                        ",",
                        csv_cell(plot.part),
                        ",",
                        csv_cell(series.name),
                        ",",
                        to_string(series.provenance),
                        ",",
                        csv_number(point.x),
                        ",",
                        plot.x_unit,
                        ",",
                        csv_number(point.y),
                        ",",
                        plot.y_unit,
                        ",",
                        ends(point.interval),
                        ",",
                        point.n > 0 ? std::to_string(point.n) : std::string(),
                        ",",
                        ends(point.x_interval),
                        ",",
                        series.x_provenance ? to_string(*series.x_provenance) : "",
                        ",",
                        place < plot.places.size() ? csv_cell(plot.places[place].name) : std::string(),
                        "\n"});
      }
  return text;
}

std::string to_facts_csv(const RunReport& report) {
  const ReportContent content = content_of(report);
  std::string text = "section,name,part,value,unit,formula\n";
  const auto line = [&](const char* section, const std::string& name, const std::string& part, const std::string& value,
                        const std::string& unit = {}, const std::string& formula = {}) {
    text += joined({section, ",", csv_cell(name), ",", csv_cell(part), ",", csv_cell(value), ",", csv_cell(unit), ",",
                    csv_cell(formula), "\n"});
  };
  line("report", "title", "", content.title);
  line("report", "claim", "", content.claim);
  for (const std::string& note : content.notes) line("report", "note", "", note);
  for (std::size_t i = 0; i < content.commands.size(); ++i)
    line("command", std::to_string(i + 1), "", content.commands[i]);
  for (const ReportField& field : content.environment) line("environment", field.name, "", field.value);
  for (const ReportField& field : content.settings) line("setting", field.name, "", field.value);
  for (const ReportFault& fault : content.faults) line("faults_injected", fault.policy, fault.tier, fault.faults);
  for (const ReportPlot& plot : content.charts) {
    line("chart_title", plot.name, plot.part, plot.title);
    line("chart_note", plot.name, plot.part, plot.note);
    line("chart_x", plot.name, plot.part, plot.x_label, plot.x_unit);
    line("chart_y", plot.name, plot.part, plot.y_label, plot.y_unit);
  }
  for (const MetricDefinition& metric : content.definitions)
    line("definition", metric.name, "", metric.meaning, metric.unit, metric.formula);
  return text;
}

}  // namespace kvantage::inline formats
