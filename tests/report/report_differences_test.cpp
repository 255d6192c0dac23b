// links: kv_reports
// Differences of a report's runs to one of them: those of the comparison, the same numbers in JSON, CSV, page, PDF,
// LaTeX and on the console, and nothing of them where no baseline was chosen.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/report/formats/latex.h"
#include "core/report/formats/report_formats.h"
#include "core/report/report_differences.h"
#include "tests/report/sample_runs.h"
#include "tests/support/report_readers.h"
#include "tests/support/test_program.h"

namespace report_differences_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// A run whose every time is `factor` of that of seed's, whose qualities are moved by `shift`.
RecordedRun recorded(const std::string& id, const std::string& policy, std::uint64_t seed, double factor,
                     double shift) {
  RecordedRun run;
  run.summary = {
      id,
      1,
      2,
      policy,
      "finished",
      60,
      Json{{"settings", {{"policy", policy}, {"quality_metric", "token_f1"}}}, {"environment", {{"run_id", id}}}}};
  std::uint64_t sequence = 0;
  int asked = 0;
  for (RequestRecord record : sample_run(seed, policy, 60).records) {
    record.question = "question " + std::to_string(asked++);
    record.cancelled = false;
    record.held_out = true;
    record.timing.ttft_service_seconds *= factor;
    record.quality["token_f1"] += shift;
    Event event;
    event.sequence = ++sequence;
    event.monotonic_ns = static_cast<std::int64_t>(sequence) * 1000000;
    event.payload = events::RequestFinished{record};
    run.events.push_back(event);
  }
  return run;
}

std::vector<RecordedRun> three_runs() {
  return {recorded("20261122T100000Z-aaaa", "lru", 1, 1, 0),
          recorded("20261122T100100Z-bbbb", "evicpress", 1, 0.5, 0.2),
          recorded("20261122T100200Z-cccc", "lfu", 2, 1, 0)};
}

RunReport report_against(std::size_t baseline) {
  RunReport report = report_of_runs(three_runs());
  add_differences(report, compare_runs(three_runs(), baseline));
  return report;
}

}  // namespace

class ReportDifferencesTest : public QObject {
  Q_OBJECT

 private slots:
  void jsonHoldsThoseOfTheComparison() {
    const RunComparison comparison = compare_runs(three_runs(), 0);
    const Json json = to_report_json(report_against(0)).at("differences");
    QCOMPARE(json.at("baseline").get<std::string>(), std::string("lru"));
    std::map<std::pair<std::string, std::string>, Json> by_name;
    for (const Json& one : json.at("figures"))
      by_name[{one.at("run").get<std::string>(), one.at("figure").get<std::string>()}] = one;
    std::size_t found = 0;
    for (const ComparedMetric& metric : comparison.metrics)
      for (std::size_t run = 1; run < metric.values.size(); ++run) {
        if (!metric.values[run] || !metric.values[run]->delta) continue;
        ++found;
        const Json one = by_name[{run == 1 ? "evicpress" : "lfu", metric.name}];
        QVERIFY2(one.is_object(), metric.name.c_str());
        QCOMPARE(one.at("difference").get<double>(), *metric.values[run]->delta);
        QCOMPARE(one.at("value").get<double>(), metric.values[run]->value);
        QCOMPARE(one.at("baseline").get<double>(), metric.values[0]->value);
        QCOMPARE(one.at("pairs").get<std::size_t>(), metric.values[run]->pairs);
        QCOMPARE(one.at("n").get<std::size_t>(), metric.values[run]->n);
        QCOMPARE(one.at("interval_95").is_null(), !metric.values[run]->delta_interval.has_value());
        QCOMPARE(one.at("judgement").get<std::string>(), judgment_text(comparison, metric, run));
      }
    QCOMPARE(found, json.at("figures").size());
    QVERIFY(found > 10);
    const Json first = by_name[{"evicpress", "TTFT, service"}];  // half of the time, question by question
    QVERIFY(first.at("judgement").get<std::string>().starts_with("better by 50 %"));
    QCOMPARE(first.at("pairs").get<int>(), 60);
    QVERIFY(std::abs(first.at("difference").get<double>() + first.at("baseline").get<double>() / 2) < 1e-9);
  }

  void onlySettingsThatDifferAreTold() {
    const RunReport report = report_against(0);
    QStringList told;
    for (const SettingDifference& one : report.differences->settings)
      told << QString::fromStdString(one.run + " " + one.name + " " + one.baseline.dump() + " " + one.value.dump());
    QCOMPARE(told, (QStringList{"evicpress policy \"lru\" \"evicpress\"", "lfu policy \"lru\" \"lfu\""}));
  }

  void runsOfOneNameAreToldApart() {
    const std::vector<RecordedRun> runs{recorded("20261122T100000Z-aaaa", "lru", 1, 1, 0),
                                        recorded("20261122T100100Z-bbbb", "lru", 1, 0.5, 0)};
    RunReport report = report_of_runs(runs);
    add_differences(report, compare_runs(runs, 0));
    QCOMPARE(report.rows[1].policy, std::string("lru (2)"));
    QCOMPARE(report.differences->baseline, std::string("lru"));
    QVERIFY(!report.differences->metrics.empty());
    for (const MetricDifference& one : report.differences->metrics) QCOMPARE(one.run, std::string("lru (2)"));
  }

  void csvHasEveryDigit() {
    const RunReport report = report_against(1);
    const QByteArray text = QByteArray::fromStdString(to_csv(report));
    const Rows rows = csv_rows(text);
    for (const QStringList& row : rows) QCOMPARE(row.size(), rows[0].size());
    const AgainstBaseline csv = csv_differences(text),
                          json = json_differences(QByteArray::fromStdString(to_report_json(report).dump()));
    QCOMPARE(csv.baseline, QString("evicpress"));
    QCOMPARE(csv.metrics.size(), static_cast<qsizetype>(report.differences->metrics.size()));
    QCOMPARE(csv.metrics, json.metrics);
    QCOMPARE(csv.judged, json.judged);
    QCOMPARE(csv.settings, json.settings);
  }

  void everyPageShowsTheSameRoundedNumbers() {
    const RunReport report = report_against(0);
    const std::vector<Table> tables = differences_tables(report);
    QCOMPARE(tables.size(), std::size_t{2});
    const Table& table = tables[1];
    QCOMPARE(table.title, std::string("Differences to lru"));
    QCOMPARE(table.rows.size(), report.differences->metrics.size());
    const Rows page = rows_titled(html_tables(QByteArray::fromStdString(to_html(report))), "Differences to lru");
    const QStringList console = QString::fromStdString(to_text(report)).split('\n');
    QVERIFY(to_latex(report).find(latex_table(table)) != std::string::npos &&
            to_latex(report).find(latex_table(tables[0])) != std::string::npos);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      QStringList cells;
      for (const Cell& cell : table.rows[r]) cells << QString::fromStdString(cell.text);
      const MetricDifference& one = report.differences->metrics[r];
      QVERIFY2(shows(cells[3], one.baseline) && shows(cells[4], one.value) && shows(cells[5], one.difference),
               qPrintable(cells.join(" | ")));
      QVERIFY2(page.contains(cells), qPrintable(cells.join(" | ")));
      const QString line = cells.join(' ').simplified();
      QVERIFY2(std::ranges::any_of(console, [&](const QString& text) { return text.simplified() == line; }),
               qPrintable(line));
    }
  }

  void nothingIsThereWithoutABaseline() {
    const RunReport report = report_of_runs(three_runs());
    QVERIFY(!to_report_json(report).contains("differences"));
    QVERIFY(differences_tables(report).empty());
    for (const std::string& text : {to_html(report), to_text(report), to_latex(report), to_csv(report)})
      QVERIFY(text.find("Differences to") == std::string::npos);
    QVERIFY(to_csv(report).find(",difference,") == std::string::npos);
    QVERIFY(to_csv(report).starts_with(
        "policy,figure,part,value,unit,provenance,n,contexts,low_95,high_95,p50,p95,p99,p95_low_95,p95_high_95\n"));
    RunReport alone = report_of_runs({three_runs()[0]});
    add_differences(alone, compare_runs({three_runs()[0]}));
    QVERIFY(!alone.differences);
  }

  void aBaselineIsNamedAsRunsAre() {
    const auto runs = three_runs();
    QCOMPARE(place_of_run(runs, "20261122T100100Z-bbbb").value(), std::size_t{1});
    QCOMPARE(place_of_run(runs, "20261122T1002").value(), std::size_t{2});
    QCOMPARE(place_of_run(runs, "lru").value(), std::size_t{0});
    for (const char* word : {"20261122", "gdsf", ""}) {
      const auto none = place_of_run(runs, word);
      QVERIFY(!none);
      QVERIFY2(none.error().code == ErrorCode::usage &&
                   none.error().message.find("20261122T100000Z-aaaa (lru)") != std::string::npos,
               none.error().message.c_str());
    }
  }
};

KV_TEST_APPLESS_MAIN(ReportDifferencesTest)

}  // namespace report_differences_test

#include "report_differences_test.moc"
