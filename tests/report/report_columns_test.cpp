// links: kv_reports
// The typed tables of a report and of its requests hold what its CSV files and the records hold, cell by cell, and are
// written by whoever can: app/wiring/parquet_module.h.
#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <set>

#include "core/base/files.h"
#include "core/report/formats/report_columns.h"
#include "core/report/formats/report_files.h"
#include "tests/support/parquet_files.h"
#include "tests/support/report_parts.h"
#include "tests/support/test_program.h"

namespace report_columns_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

Rows rows_of(const std::string& csv) { return csv_rows(QByteArray::fromStdString(csv)); }

std::string text_at(const ColumnTable& table, const char* column, std::size_t row) {
  const TableCell cell = table.find(column)->at(row);
  const auto* text = std::get_if<std::string_view>(&cell);
  return text != nullptr ? std::string(*text) : std::string();
}

/// The records of `run`, in order.
std::vector<const RequestRecord*> records_of(const RecordedRun& run) {
  std::vector<const RequestRecord*> records;
  for (const Event& event : run.events)
    if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload))
      records.push_back(&finished->record);
  return records;
}

}  // namespace

class ReportColumnsTest : public QObject {
  Q_OBJECT

 private slots:
  void typedColumnsHoldWhatCsvHolds() {
    RunReport report = whole_report();
    report.differences.reset();
    report.rows[0].policy = "=cmd()";  // CSV has an apostrophe before it
    for (const auto& [columns, csv] : {std::pair{metric_columns(report), to_csv(report)},
                                       {chart_columns(report), to_charts_csv(report)},
                                       {fact_columns(report), to_facts_csv(report)}}) {
      QVERIFY2(columns.rows() > 40, columns.name.c_str());
      const QStringList found = differences_to_csv(columns_json(columns), rows_of(csv));
      QVERIFY2(found.isEmpty(), qPrintable(found.mid(0, 10).join('\n')));
    }
    const ColumnTable metrics = metric_columns(report);
    QCOMPARE(text_at(metrics, "policy", 0), std::string("=cmd()"));
    QVERIFY(metrics.find("value")->type() == ColumnType::real && metrics.find("n")->type() == ColumnType::whole);
  }

  // Of settings that differ CSV has texts in its columns of numbers; these have columns of their own.
  void differencesToABaselineAreThere() {
    const RunReport report = whole_report();
    QVERIFY(report.differences && !report.differences->settings.empty());
    const ColumnTable table = metric_columns(report);
    Rows csv = rows_of(to_csv(report));
    QCOMPARE(table.columns.size(), static_cast<std::size_t>(csv[0].size()) + 2);
    csv[0] << "setting_value"
           << "baseline_setting_value";
    const qsizetype figure = csv[0].indexOf("figure"), value = csv[0].indexOf("value"),
                    baseline = csv[0].indexOf("baseline_value");
    int settings = 0, differences = 0;
    for (const QStringList& row : csv.mid(1)) {
      differences += row[figure] == "difference" ? 1 : 0;
      settings += row[figure] == "setting" ? 1 : 0;
    }
    for (qsizetype i = 1; i < csv.size(); ++i) {
      QStringList& row = csv[i];
      const bool setting = row[figure] == "setting";
      row << (setting ? row[value] : QString()) << (setting ? row[baseline] : QString());
      if (setting) row[value] = row[baseline] = QString();
    }
    QVERIFY(settings > 0 && differences > 5);
    const QStringList found = differences_to_csv(columns_json(table), csv);
    QVERIFY2(found.isEmpty(), qPrintable(found.mid(0, 10).join('\n')));
  }

  void aRequestIsARow() {
    std::vector<RecordedRun> runs{sample_journal("run-a", "lru", 1), sample_journal("run-b", "evicpress", 2)};
    runs[1].summary.settings["warmup"] = 3;
    const ColumnTable table = request_columns(runs);
    QCOMPARE(table.rows(), std::size_t{120});
    std::set<std::string> names;
    for (const TableColumn& column : table.columns) {
      QCOMPARE(column.rows(), table.rows());
      QVERIFY2(names.insert(column.name()).second, column.name().c_str());
    }
    std::size_t row = 0, cancelled = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      std::size_t place = 0;
      for (const RequestRecord* record : records_of(runs[run])) {
        const auto is = [&](const char* column, const TableCell& wanted) {
          return table.find(column)->at(row) == wanted;
        };
        const auto answered = [&](const TableCell& cell) { return record->cancelled ? TableCell() : cell; };
        QVERIFY(is("run", run == 0 ? "A" : "B") && is("run_id", run == 0 ? "run-a" : "run-b"));
        QVERIFY(is("policy", record->policy) && is("alpha", 0.5) && is("request", whole_cell(record->id)));
        QVERIFY(is("warmup", run == 1 && place < 3) && is("cancelled", record->cancelled));
        QVERIFY(is("context", record->context_id) && is("question", record->question));
        QVERIFY(is("source", answered(record->source)));
        QVERIFY(is("ttft_seconds", answered(record->timing.ttft_seconds)));
        QVERIFY(is("ttft_service_seconds", answered(record->timing.ttft_service_seconds)));
        QVERIFY(is("bytes_loaded", answered(whole_cell(record->bytes_loaded))));
        QVERIFY(is("quality_token_f1", answered(record->quality.at("token_f1"))));
        QVERIFY(is("quality_uncompressed_token_f1", answered(record->quality_uncompressed.at("token_f1"))));
        QVERIFY(is("provenance", answered(to_string(record->provenance))));
        cancelled += record->cancelled ? 1 : 0;
        ++row, ++place;
      }
    }
    QVERIFY(cancelled > 0 && cancelled < 60);
    QCOMPARE(table.facts.front().first, std::string("runs"));
    const Json origins = Json::parse(table.facts.front().second);
    QCOMPARE(origins.at(1).at("run").get<std::string>(), std::string("B"));
    QCOMPARE(origins.at(1).at("run_id").get<std::string>(), std::string("run-b"));
    QCOMPARE(origins.at(1).at("environment").at("model_digest").get<std::string>(), std::string("m"));
  }

  void manyRunsHaveLettersToo() {
    RecordedRun run;
    run.summary.run_id = "r";
    run.events.push_back({1, 0, 0, events::RequestFinished{}});
    const ColumnTable table = request_columns(std::vector<RecordedRun>(703, run));
    const std::map<std::size_t, std::string> wanted{{0, "A"},   {25, "Z"},   {26, "AA"},
                                                    {51, "AZ"}, {701, "ZZ"}, {702, "AAA"}};
    for (const auto& [place, letters] : wanted) QCOMPARE(text_at(table, "run", place), letters);
  }

  // Records come from files of others.
  void namesOfMetricsDoNotMakeColumnsWithoutEnd() {
    RecordedRun run;
    events::RequestFinished finished;
    for (int i = 0; i < 1000; ++i) finished.record.quality["m" + std::to_string(i)] = 0.5;
    finished.record.quality["uncompressed_x"] = 0.25;
    finished.record.quality_uncompressed["x"] = 0.75;
    run.events.push_back({1, 0, 0, finished});
    const ColumnTable table = request_columns({run});
    std::set<std::string> names;
    for (const TableColumn& column : table.columns) QVERIFY2(names.insert(column.name()).second, column.name().c_str());
    QVERIFY(table.columns.size() < 130);
  }

  void noRunsAreATableWithoutRows() {
    const ColumnTable table = request_columns({});
    QVERIFY(table.rows() == 0 && table.find("ttft_seconds") != nullptr);
  }

  void filesAreWrittenByWhoeverCan() {
    const QTemporaryDir folder;
    const std::filesystem::path target = folder.filePath("report").toStdString();
    const RunReport report = sample_report();
    const auto refused = write_report_files(report, target, {"json", "parquet"});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::usage);
    QCOMPARE(refused.error().message,
             std::string("report: no module for Parquet is loaded; use --format html, latex, csv or json"));
    QVERIFY(!std::filesystem::exists(target));
    QCOMPARE(parse_report_formats("csv,parquet").value(), (std::vector<std::string>{"csv", "parquet"}));

    ParquetReport parquet;
    parquet.encode = [](const ColumnTable& table) -> Expected<std::string> {
      return table.name + " " + std::to_string(table.rows());
    };
    parquet.requests = request_columns({sample_journal("run-a", "lru", 1)});
    const auto written = write_report_files(report, target, {"parquet"}, {}, parquet);
    QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
    QCOMPARE(*written, (std::vector{target / "report.parquet", target / "report_charts.parquet",
                                    target / "report_facts.parquet", target / "report_requests.parquet"}));
    QCOMPARE(read_text_file(target / "report_requests.parquet").value(), std::string("requests 60"));
    QCOMPARE(read_text_file(target / "report.parquet").value(),
             "metrics " + std::to_string(metric_columns(report).rows()));
    parquet.encode = [](const ColumnTable&) -> Expected<std::string> { return fail(ErrorCode::io, "no memory"); };
    const auto failed = write_report_files(report, target, {"parquet"}, {}, parquet);
    QVERIFY(!failed && failed.error().message == "no memory");
  }
};

KV_TEST_GUILESS_MAIN(ReportColumnsTest)

}  // namespace report_columns_test

#include "report_columns_test.moc"
