// links: kv_reports
// Every part of a report's content is in every format: the parts are gone through one by one, looked for in each file,
// and a format that leaves one out is named.
#include <QtTest>

#include "core/report/formats/report_formats.h"
#include "core/report/report_content.h"
#include "core/report/report_differences.h"
#include "core/report/run_plots.h"
#include "tests/report/sample_journal.h"
#include "tests/support/report_texts.h"
#include "tests/support/test_program.h"

namespace report_content_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// A part of the content, as what has to be found.
struct Part {
  QString what, text;
  bool shown_only = false;  // pages, PDF and LaTeX show it rounded or in words; CSV and JSON hold the metrics behind it
};

QString q(const std::string& text) { return QString::fromStdString(text); }

void add_chart(const ReportPlot& plot, std::vector<Part>& parts) {
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

void add_table(const Table& table, std::vector<Part>& parts) {
  parts.push_back({"table", q(table.title), true});
  parts.push_back({"note of " + q(table.title), q(table.note), true});
  for (const std::string& column : table.columns) parts.push_back({"column of " + q(table.title), q(column), true});
  for (const auto& row : table.rows) {
    QString line;
    for (const Cell& cell : row) line += q(cell.text) + " ";
    parts.push_back({"row of " + q(table.title), line, true});
  }
}

std::vector<Part> parts_of(const ReportContent& content) {
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
QStringList missing(const ReportContent& content, const QMap<QString, QString>& texts) {
  QStringList names;
  for (const Part& part : parts_of(content))
    for (auto it = texts.begin(); it != texts.end(); ++it)
      if (!(part.shown_only && (it.key() == "csv" || it.key() == "json")) && !it.value().contains(bare(part.text)))
        names << it.key() + ": " + part.what + ": " + part.text.left(80);
  return names;
}

/// With every section that there is.
RunReport whole_report() {
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

}  // namespace

class ReportContentTest : public QObject {
  Q_OBJECT

 private slots:
  void everyFormatHoldsEveryPart() {
    const RunReport report = whole_report();
    const ReportContent content = content_of(report);
    QCOMPARE(content.charts.size(), std::size_t{3 + 8});
    QVERIFY(content.commands.size() == 2 && content.faults.size() == 1 && content.settings.size() == 4 &&
            content.environment.size() == 13 && content.notes.size() == 1);
    const std::vector<Part> parts = parts_of(content);
    QVERIFY2(parts.size() > 400, qPrintable(QString::number(parts.size())));
    for (const Part& part : parts)
      QVERIFY2(!bare(part.text).isEmpty() || part.what.startsWith("note of ") || part.what.startsWith("definition of "),
               qPrintable(part.what));
    const QMap<QString, QString> texts = report_texts(report);
    QCOMPARE(texts.size(), qsizetype{5});
    const QStringList lacking = missing(content, texts);
    QVERIFY2(lacking.isEmpty(), qPrintable(lacking.mid(0, 20).join('\n')));
  }

  // A format that left one of them out would be named: each part is taken away, and all five are.
  void aPartThatIsLeftOutIsMissed_data() {
    QTest::addColumn<QString>("part");
    for (const char* part :
         {"claim", "note", "model_note", "chart of the rows", "chart of a journal", "command", "setting", "commit",
          "dirty", "seed", "threads", "hardware", "model_digest", "workload_digest", "fault", "policy", "differences"})
      QTest::newRow(part) << part;
  }
  void aPartThatIsLeftOutIsMissed() {
    QFETCH(QString, part);
    const RunReport whole = whole_report();
    RunReport less = whole;
    const std::string key = part.toStdString();
    if (part == "claim")
      less.claim = "Nothing.";
    else if (part == "note")
      less.notes.clear(), less.environment.erase("model_note");
    else if (part == "chart of the rows")
      less.rows[0].quality.clear(), less.rows[1].quality.clear();
    else if (part == "chart of a journal")
      less.plots.erase(less.plots.begin());
    else if (part == "command")
      less.environment["command"].erase(1);
    else if (part == "setting")
      less.settings.erase("tiers");
    else if (part == "fault")
      less.rows[1].faults.clear();
    else if (part == "policy")
      less.rows.pop_back();
    else if (part == "differences")
      less.differences.reset();
    else
      less.environment.erase(key);
    const QStringList lacking = missing(content_of(whole), report_texts(less));
    QStringList formats;
    for (const QString& name : lacking) formats << name.section(':', 0, 0);
    formats.removeDuplicates();
    formats.sort();
    // JSON and CSV hold the differences as metrics: report_differences_test reads those.
    QCOMPARE(formats, part == "differences" ? (QStringList{"html", "latex", "pdf"})
                                            : (QStringList{"csv", "html", "json", "latex", "pdf"}));
  }

  // Exact metrics are those of the content, in JSON and CSV with every digit, and none is made up.
  void exactFiguresAreThoseOfTheContent() {
    const RunReport report = whole_report();
    Exact wanted;
    for (const RowMetrics& row : content_of(report).metrics)
      for (const ReportMetric& metric : row.metrics) {
        auto& fields = wanted[key(q(row.policy), q(metric.name), q(metric.part))];
        const auto put = [&](const char* field, const std::optional<double>& value) {
          if (value) fields[field] = *value;
        };
        put("value", metric.value);
        if (metric.sampled)
          fields["n"] = static_cast<double>(metric.n), fields["contexts"] = static_cast<double>(metric.contexts);
        for (const auto& [before, interval] : {std::pair{"", metric.interval}, {"p95_", metric.p95_interval}})
          if (interval)
            fields[QString(before) + "low"] = interval->low, fields[QString(before) + "high"] = interval->high;
        put("p50", metric.p50);
        put("p95", metric.p95);
        put("p99", metric.p99);
      }
    QVERIFY(wanted.size() > 80);
    QCOMPARE(csv_figures(QByteArray::fromStdString(to_csv(report))), wanted);
    const JsonReport json(QByteArray::fromStdString(to_report_json(report).dump()));
    QCOMPARE(json.metrics, wanted);
    QCOMPARE(json.taken, json.numbers);
  }

  // Words of a definition stand together, its unit too, where a reader takes them by name.
  void definitionsAreWholeInJsonAndCsv() {
    const RunReport report = whole_report();
    std::vector<QStringList> wanted, json, csv;
    for (const MetricDefinition& metric : content_of(report).definitions)
      wanted.push_back({q(metric.name), q(metric.unit), q(metric.formula), q(metric.meaning)});
    const Json whole = to_report_json(report);
    for (const Json& one : whole.at("definitions"))
      json.push_back({q(one.at("name").get<std::string>()), q(one.at("unit").get<std::string>()),
                      q(one.at("formula").get<std::string>()), q(one.at("meaning").get<std::string>())});
    for (const QStringList& row : csv_rows(QByteArray::fromStdString(to_facts_csv(report)))) {
      QCOMPARE(row.size(), qsizetype{6});
      if (row[0] == "definition") csv.push_back({row[1], row[4], row[5], row[3]});
    }
    QCOMPARE(json, wanted);
    QCOMPARE(csv, wanted);
  }
};

KV_TEST_APPLESS_MAIN(ReportContentTest)

}  // namespace report_content_test

#include "report_content_test.moc"
