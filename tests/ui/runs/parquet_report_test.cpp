// links: kv_ui profiles
// Parquet of the window: reports have it where it can be written, and its requests are those that the table of requests
// exports as CSV.
#include <QAction>
#include <QIdentityProxyModel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "core/base/files.h"
#include "core/report/formats/report_columns.h"
#include "core/report/formats/report_files.h"
#include "core/report/recorded_run.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/recorded_runs.h"
#include "ui/live/requests/model/requests_model.h"
#include "ui/live/requests/requests_table.h"
#include "ui/runs/compare_page.h"
#include "ui/runs/model/run_files.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace parquet_report_test {

using namespace kvantage;
using test::RecordedRuns;

namespace {

Expected<std::string> name_and_rows(const ColumnTable& table) {
  return table.name + " " + std::to_string(table.rows());
}

/// Whether a typed cell is what the window's CSV has, which has nine digits.
bool is_of_table(const TableCell& cell, const QString& csv) {
  if (std::holds_alternative<std::monostate>(cell)) return csv.isEmpty();
  if (const auto* text = std::get_if<std::string_view>(&cell)) return csv == to_q(std::string(*text));
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return csv == QString::number(*whole);
  const auto* real = std::get_if<double>(&cell);
  bool is_number = false;
  return real != nullptr && std::abs(csv.toDouble(&is_number) - *real) <= 1e-8 * std::abs(*real) && is_number;
}

QString tip_of_report(const QWidget& page) {
  for (const QPushButton* button : page.findChildren<QPushButton*>())
    if (button->text().startsWith("Report")) return button->toolTip();
  return {};
}

}  // namespace

class ParquetReportTest : public QObject {
  Q_OBJECT

 private slots:
  void aReportHasParquetWhereItCanBeWritten() {
    RecordedRuns f;
    f.three_runs();
    RunFiles files(f.library);
    QVERIFY(!files.writes_parquet());
    files.set_parquet(name_and_rows);
    QVERIFY(files.writes_parquet());
    QSignalSpy finished(&files, &RunFiles::finished), progress(&files, &RunFiles::progress);
    const QString folder = f.folder.filePath("report");
    files.write_report({"run-a", "run-b"}, folder);
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(finished.front().front().toString(),
             QStringLiteral("Report saved: %1/report.html, also as JSON, CSV, LaTeX, PDF and Parquet").arg(folder));
    QCOMPARE(read_text_file((folder + "/report_requests.parquet").toStdString()).value(), std::string("requests 120"));
    for (const std::string& name : report_file_names())
      QVERIFY2(QFileInfo::exists(folder + '/' + to_q(name)), name.c_str());
    QStringList written;
    for (const QList<QVariant>& step : progress) written << step.front().toString();
    QVERIFY2(written.contains("Writing parquet"), qPrintable(written.join('\n')));
    for (qsizetype i = 1; i < progress.count(); ++i) QVERIFY(progress[i][1].toInt() <= progress[i][2].toInt());
  }

  void aReportThatFailsLeavesNothing() {
    RecordedRuns f;
    f.three_runs();
    RunFiles files(f.library);
    files.set_parquet([](const ColumnTable& table) -> Expected<std::string> {
      if (table.name == "charts") return fail(ErrorCode::io, "charts: no memory");
      return name_and_rows(table);
    });
    QSignalSpy failed(&files, &RunFiles::failed), finished(&files, &RunFiles::finished);
    const QString folder = f.folder.filePath("report");
    files.write_report({"run-a"}, folder);
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(failed.front().front().toString(), QStringLiteral("charts: no memory"));
    QVERIFY(finished.isEmpty() && !files.busy());
    const QStringList left = QDir(folder).entryList(QDir::Files);
    QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
  }

  void theDockOffersWhatCanBeWritten() {
    RecordedRuns f;
    const RunsDock without(f.library), with(f.library, name_and_rows);
    const QString parquet = QStringLiteral("HTML, PDF, CSV, JSON, LaTeX and Parquet");
    QVERIFY(!tip_of_report(without).isEmpty() && !tip_of_report(without).contains("Parquet"));
    QVERIFY2(tip_of_report(with).endsWith(parquet), qPrintable(tip_of_report(with)));
    RunComparisonModel model(f.library);
    const ComparePage plain(model), more(model, true);
    QVERIFY(!tip_of_report(plain).isEmpty() && !tip_of_report(plain).contains("Parquet"));
    QVERIFY2(tip_of_report(more).endsWith(parquet), qPrintable(tip_of_report(more)));
  }

  void requestsAreThoseOfTheTableThatIsExported() {
    RequestsModel model;
    model.set_quality_metric("token_f1");
    RecordedRun run;
    for (RequestRecord record : sample_run(7, "lru", 60).records) {
      record.family = record.id % 3 == 0 ? "news" : "code";
      record.question = "question " + std::to_string(record.id);
      record.answer = record.id % 4 == 0 ? "" : "an answer, of \"words\"";
      record.method = record.id % 2 == 0 ? "knorm" : "none";
      record.removed_fraction = record.id % 2 == 0 ? 0.5 : 0;
      record.kept_tokens = record.context_tokens / 2;
      record.decoding.peak_bytes = 1000 * record.id;
      if (record.id % 5 == 0) {
        record.predicted_ttft_seconds = 0.25;
        record.decoding.eviction = "paged_eviction(budget=25%)";
        record.decoding.evicted_entries = 17;
        OffloadRecord& offload = record.decoding.offload.emplace();
        offload.setting = "ssd";
        offload.steps = 4;
        offload.recomputed_tokens = 6;
        offload.input_bytes = 4000;
        offload.kv_bytes = 100;
        offload.seconds = 0.5;
        offload.predicted_seconds = 0.25;
      }
      if (record.id % 7 == 0) record.decoding.speculation = SpeculationRecord{"lookup(n=2)", "", 4, 20, 6};
      if (record.id % 11 == 0)
        record.decoding.speculation = SpeculationRecord{"auto", "the model runs on a device", 0, 0, 0};
      model.request_finished(record);
      run.events.push_back({record.id, 0, 0, events::RequestFinished{record}});
    }
    QIdentityProxyModel all;
    all.setSourceModel(&model);
    const ChartTable csv = requests_table(model, all);
    const ColumnTable typed = request_columns({run});
    QCOMPARE(typed.rows(), static_cast<std::size_t>(csv.rows.size()));
    int cancelled = 0;
    for (qsizetype c = 0; c < csv.header.size(); ++c) {
      const std::string name = from_q(csv.header[c] == "token_f1" ? QStringLiteral("quality_token_f1") : csv.header[c]);
      const TableColumn* column = typed.find(name);
      QVERIFY2(column != nullptr, name.c_str());
      for (std::size_t row = 0; row < typed.rows(); ++row) {
        QString wanted = csv.rows[static_cast<qsizetype>(row)][c];
        if (name == "source" && wanted == "cancelled") {  // it has a column of its own
          QVERIFY(typed.find("cancelled")->at(row) == TableCell(true));
          wanted.clear();
          ++cancelled;
        }
        QVERIFY2(is_of_table(column->at(row), wanted),
                 qPrintable(QStringLiteral("%1, row %2: not %3").arg(to_q(name)).arg(row).arg(wanted)));
      }
    }
    QVERIFY(cancelled > 0 && cancelled < 30);
  }
};

KV_TEST_MAIN(ParquetReportTest)

}  // namespace parquet_report_test

#include "parquet_report_test.moc"
