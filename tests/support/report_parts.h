// What a report says, part by part, to be looked for in each of its formats.
#pragma once

#include <QMap>
#include <QStringList>

#include <string>
#include <utility>
#include <vector>

#include "core/report/report_content.h"
#include "core/report/report_differences.h"
#include "core/report/run_plots.h"
#include "tests/report/sample_journal.h"
#include "tests/support/report_texts.h"

namespace kvantage::test {

inline QString q(const std::string& text) { return QString::fromStdString(text); }

/// A part of the content, as what has to be found.
struct Part {
  QString what, text;
  bool shown_only = false;  // pages, PDF and LaTeX show it rounded or in words; CSV and JSON hold the metrics behind it
};

inline void add_chart(const ReportPlot& plot, std::vector<Part>& parts) {
  const QString chart = "chart " + q(plot.name + " " + plot.part);
  for (const auto& [what, text] :
       {std::pair{" title", plot.title}, {" note", plot.note}, {" x", plot.x_label}, {" y", plot.y_label}})
    parts.push_back({chart + what, q(text)});
  for (const PlotSeries& series : plot.series) {
    parts.push_back({chart + " series", q(series.name)});
    parts.push_back({chart + " label", q(series.shown()), true});
  }
  for (const PlotPlace& place : plot.places) {
    parts.push_back({chart + " place", q(place.name)});
    parts.push_back({chart + " total", q(place.total), true});
  }
}

inline void add_table(const Table& table, std::vector<Part>& parts) {
  parts.push_back({"table", q(table.title), true});
  parts.push_back({"note of " + q(table.title), q(table.note), true});
  for (const std::string& column : table.columns) parts.push_back({"column of " + q(table.title), q(column), true});
  for (const auto& row : table.rows) {
    QString line;
    for (const Cell& cell : row) line += q(cell.text) + " ";
    parts.push_back({"row of " + q(table.title), line, true});
  }
}

inline std::vector<Part> parts_of(const ReportContent& content) {
  // A member that is added has to be gone through, too.
  const auto& [title, claim, notes, marks, charts, tables, commands, settings, environment, faults, metrics,
               metric_tables, definitions] = content;
  std::vector<Part> parts{{"title", q(title)}, {"claim", q(claim)}, {"marks", q(marks), true}};
  for (const std::string& note : notes) parts.push_back({"note", q(note)});
  for (const ReportPlot& plot : charts) add_chart(plot, parts);
  for (const Table& table : tables) add_table(table, parts);
  for (const std::string& command : commands) parts.push_back({"command", q(command)});
  for (const ReportField& field : settings)
    parts.push_back({"setting " + q(field.name), q(field.name + " " + field.value)});
  for (const ReportField& field : environment)
    parts.push_back({"environment " + q(field.name), q(field.name + " " + field.value)});
  for (const ReportFault& fault : faults) parts.push_back({"fault", q(fault.faults)});
  for (const RowMetrics& row : metrics) {
    parts.push_back({"policy", q(row.policy)});
    for (const ReportMetric& metric : row.metrics)
      if (!metric.part.empty())
        parts.push_back({"part of figure " + q(metric.name), q(metric.part.substr(metric.part.rfind(' ') + 1))});
  }
  for (const Table& table : metric_tables) add_table(table, parts);
  for (const MetricDefinition& metric : definitions) {
    parts.push_back({"definition of " + q(metric.name), q(definition_text(metric)), true});
    for (const std::string& text : {metric.name, metric.formula, metric.meaning})
      parts.push_back({"definition of " + q(metric.name), q(text)});
  }
  return parts;
}

/// "csv: setting alpha", ... for each part that a format lacks.
inline QStringList missing(const ReportContent& content, const QMap<QString, QString>& texts) {
  QStringList names;
  for (const Part& part : parts_of(content))
    for (auto it = texts.begin(); it != texts.end(); ++it)
      if (!(part.shown_only && (it.key() == "csv" || it.key() == "json")) && !it.value().contains(bare(part.text)))
        names << it.key() + ": " + part.what + ": " + part.text.left(80);
  return names;
}

/// With every section that there is.
inline RunReport whole_report() {
  const std::vector<RecordedRun> journals{sample_journal("run-a", "lru", 1), sample_journal("run-b", "evicpress", 2)};
  std::vector<PolicyRun> runs{sample_run(1, "lru", 200), sample_run(2, "evicpress", 180)};
  runs[1].faults = {{"ssd", "corrupt=0.125,delay=0.0625"}};
  runs[1].engine = EngineCounts{
      11.5,
      0.25,
      0.125,
      3,
      2,
      1,
      4,
      0.5,
      0.75,
      ModelDeviceGauges{
          "H100, 80 GB", 1 << 20, 4 << 20, {7, 3 << 20, 0.5, 0.125, 2.5e10}, {9, 5 << 20, 0.75, 0.75, 2.625e10}}};
  runs[1].lp_gap = 0.03125;
  runs[1].tiers[1].counts =
      TierCounts{"file", "O_DIRECT", 71, 32, {{"corrupt", 5}}, {{"no_space", 6}}, 64, 0.05, 0.2, {{"delay", 9}}};
  const Json settings{{"quality_metric", "token_f1"},
                      {"alpha", 0.5},
                      {"policy", {"lru", "evicpress"}},
                      {"tiers", {{{"name", "dram"}, {"budget_bytes", 4194304}}}}};
  const Json environment{
      {"command",
       {"kvantage-cli run 'quick <start>' --policy lru", "kvantage-cli run 'quick <start>' --policy evicpress"}},
      {"commit", "0123abcdef"},
      {"dirty", true},
      {"version", "9.8.7"},
      {"hardware", "2 cores & 24 GiB"},
      {"threads", 17},
      {"seed", 424242},
      {"workload", "quickstart"},
      {"workload_digest", "11223344556677889900"},
      {"model", "default"},
      {"model_digest", "ffeeddccbbaa99887766"},
      {"model_note", "on default, knorm works by construction: trained so"},
      {"run_id", {"run-a", "run-b"}},
      {"started_utc", "2026-11-23T01:02:03Z"}};
  RunReport report = build_report(settings, environment, runs);
  report.plots = plots_of_runs(journals);
  add_differences(report, compare_runs(journals, 0));
  return report;
}

/// Names for without_part().
inline const std::vector<const char*>& removable_parts() {
  static const std::vector<const char*> names{
      "claim",  "note",   "model_note", "chart of the rows", "chart of a journal", "command",      "setting",
      "commit", "dirty",  "seed",       "threads",           "hardware",           "model_digest", "workload_digest",
      "fault",  "policy", "differences"};
  return names;
}
/// Without the part of this name; other names are fields of the environment.
inline RunReport without_part(RunReport report, const std::string& part) {
  if (part == "claim")
    report.claim = "Nothing.";
  else if (part == "note")
    report.notes.clear(), report.environment.erase("model_note");
  else if (part == "chart of the rows")
    report.rows[0].quality.clear(), report.rows[1].quality.clear();
  else if (part == "chart of a journal")
    report.plots.erase(report.plots.begin());
  else if (part == "command")
    report.environment["command"].erase(1);
  else if (part == "setting")
    report.settings.erase("tiers");
  else if (part == "fault")
    report.rows[1].faults.clear();
  else if (part == "policy")
    report.rows.pop_back();
  else if (part == "differences")
    report.differences.reset();
  else
    report.environment.erase(part);
  return report;
}

}  // namespace kvantage::test
