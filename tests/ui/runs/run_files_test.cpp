// links: kv_ui profiles
// Files of saved runs: reports, tables of all that is shown, and runs that go from one database to another.
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "core/report/formats/report_files.h"
#include "core/report/recorded_run.h"
#include "tests/support/report_readers.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/recorded_runs.h"
#include "ui/pictures/charts_export.h"
#include "ui/report/html_charts.h"
#include "ui/report/pdf_file.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace run_files_test {

using namespace kvantage;
using test::record;
using test::RecordedRuns;
using test::wait_for_figures;

namespace {

std::string page_of(RecordedRun run) {
  const RunReport report = report_of_runs({std::move(run)});
  return to_html(report, html_charts(report).value());
}

}  // namespace

class RunFilesTest : public QObject {
  Q_OBJECT

 private slots:
  void aReportIsWrittenInEveryFormat() {
    RecordedRuns f;
    f.three_runs();
    RunFiles files(f.library);
    QSignalSpy finished(&files, &RunFiles::finished), progress(&files, &RunFiles::progress),
        failed(&files, &RunFiles::failed);
    const QString folder = f.folder.filePath("report");
    files.write_report({"run-a", "run-b"}, folder);
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(progress.count() >= 8);
    std::vector<RecordedRun> runs;
    for (const char* id : {"run-a", "run-b"}) {
      auto run = f.library->read(id, report_event_types());
      runs.push_back({run->summary, run->events});
    }
    const RunReport report = report_of_runs(runs);
    QCOMPARE(read_text_file((folder + "/report.html").toStdString()).value(),
             to_html(report, html_charts(report).value()));
    QCOMPARE(read_text_file((folder + "/report.csv").toStdString()).value(), to_csv(report));
    for (const char* name : {"report.json", "report.tex"}) QVERIFY(QFileInfo::exists(folder + "/" + name));
    // Page by page, and yet the file that a command line writes.
    const std::string whole = f.folder.filePath("whole.pdf").toStdString();
    QVERIFY(write_report_pdf(report, whole));
    QVERIFY(read_text_file((folder + "/report.pdf").toStdString()).value() == read_text_file(whole).value());
    const QString other = f.folder.filePath("cancelled");
    QSignalSpy cancelled(&files, &RunFiles::cancelled);
    files.write_report({"run-a"}, other);
    files.cancel();
    QTRY_COMPARE(cancelled.count(), 1);
    QVERIFY(QDir(other).entryList(QDir::Files).isEmpty() && !files.busy());
    files.write_report({"run-a"}, "/proc/nowhere");
    QTRY_COMPARE(failed.count(), 1);
  }

  void aReportIsCancelledBeforeItsPages() {
    RecordedRuns f;
    f.three_runs();
    RunFiles files(f.library);
    QSignalSpy cancelled(&files, &RunFiles::cancelled), finished(&files, &RunFiles::finished);
    int pages = 0;
    connect(&files, &RunFiles::progress, &files, [&](const QString& what, int done, int total) {
      if (what != "Writing pdf") return;
      ++pages;
      QCOMPARE(done, total - 1);
      files.cancel();
    });
    const QString folder = f.folder.filePath("cancelled");
    files.write_report({"run-a"}, folder);
    QTRY_COMPARE(cancelled.count(), 1);
    QVERIFY(pages == 1 && finished.isEmpty() && !files.busy());
    QVERIFY2(QDir(folder).entryList(QDir::Files).isEmpty(), qPrintable(QDir(folder).entryList().join(' ')));
  }

  void exportOfAllTakesTheRunsThatAreShown() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    wait_for_figures(dock.model(), 3);
    dock.filter().set_text("evicpress");
    QCOMPARE(dock.table().model()->rowCount(), 2);
    ChartsExport exporter(dock);
    QSignalSpy finished(&exporter, &ChartsExport::finished);
    const QString folder = f.folder.filePath("all");
    exporter.start(folder);
    QTRY_COMPARE(finished.count(), 1);
    const test::Rows rows = test::csv_rows(
        QByteArray::fromStdString(read_text_file((folder + "/runs.csv").toStdString()).value()).replace("\r\n", "\n"));
    QCOMPARE(rows.size(), qsizetype{3});
    QCOMPARE(rows[0][0], QString("run_id"));
    QSet<QString> ids;
    for (const QStringList& row : rows.mid(1)) ids << row[0];
    QCOMPARE(ids, (QSet<QString>{"run-b", "run-c"}));
    QVERIFY(!QFileInfo::exists(folder + "/runs.png"));
  }

  void aReportOfAComparisonTellsTheDifferencesToItsBaseline() {
    RecordedRuns f;
    f.three_runs();
    RunsDock dock(f.library);
    dock.resize(1000, 300);
    dock.show();
    QTRY_COMPARE(dock.model().rowCount(), 3);
    dock.choose({"run-b", "run-c"});
    dock.compare_chosen();
    QTRY_COMPARE(dock.comparison().sides(), 2);
    dock.comparison().set_baseline(1);
    QTRY_VERIFY(!dock.comparison().busy() && dock.comparison().comparison().baseline == 1);
    const RunComparison shown = dock.comparison().comparison();
    dock.choose({"run-a"});  // what is chosen meanwhile does not matter
    QPushButton* report = nullptr;
    for (QPushButton* button : dock.compare_page().findChildren<QPushButton*>())
      if (button->text().startsWith("Report")) report = button;
    QVERIFY(report && report->isEnabled() && !report->accessibleName().isEmpty());
    report->click();
    auto* dialog = dock.findChild<QFileDialog*>();
    QVERIFY(dialog);
    QSignalSpy finished(&dock.files(), &RunFiles::finished);
    const QString folder = f.folder.filePath("against");
    emit dialog->fileSelected(folder);
    dialog->close();
    QTRY_COMPARE(finished.count(), 1);
    const Json json = read_json_file((folder + "/report.json").toStdString()).value();
    QCOMPARE(json.at("rows").size(), std::size_t{2});
    const Json& told = json.at("differences");
    QCOMPARE(told.at("baseline").get<std::string>(), named_apart(shown.names)[1]);
    std::size_t compared = 0;
    for (const ComparedMetric& metric : shown.metrics)
      if (metric.values[0] && metric.values[0]->delta && metric.values[1]) {
        const Json& one = told.at("figures").at(compared++);
        QCOMPARE(one.at("figure").get<std::string>(), metric.name);
        QCOMPARE(one.at("difference").get<double>(), *metric.values[0]->delta);
        QCOMPARE(one.at("judgement").get<std::string>(), judgment_text(shown, metric, 0));
      }
    QVERIFY(compared > 5);
    QCOMPARE(told.at("figures").size(), compared);
  }

  void aReportNeverTakesThePlaceOfAnother() {
    RecordedRuns f;
    f.three_runs();
    RunFiles files(f.library);
    QSignalSpy finished(&files, &RunFiles::finished);
    const QString folder = f.folder.filePath("reports");
    const auto html = [&](const QString& path) { return read_text_file(path.toStdString()).value_or(std::string()); };
    for (const char* run : {"run-a", "run-b", "run-c"}) {
      files.write_report({QString::fromLatin1(run)}, folder);
      QTRY_COMPARE(finished.count(), 1);
      const QString said = finished.takeFirst().first().toString();
      const QString below = QByteArray(run) == "run-a" ? "" : QByteArray(run) == "run-b" ? "/report-2" : "/report-3";
      QVERIFY2(said.contains(folder + below + "/report.html"), qPrintable(said));
      const auto whole = f.library->read(run, report_event_types());
      QCOMPARE(html(folder + below + "/report.html"), page_of({whole->summary, whole->events}));
      for (const char* name : {"report.json", "report.csv", "report.tex", "report.pdf"})
        QVERIFY(QFileInfo::exists(folder + below + '/' + name));
    }
    const auto first = f.library->read("run-a", report_event_types());
    QCOMPARE(html(folder + "/report.html"), page_of({first->summary, first->events}));  // as it was
  }

  void aReportOfTheWindowsRunSaysWhatRepeatsIt() {
    RecordedRuns f;
    f.three_runs();
    for (const auto& [id, command] :
         {std::pair{"run-w", "kvantage"}, std::pair{"run-x", "kvantage-cli run quickstart --seed 3"}}) {
      QVERIFY(f.stores->runs().begin_run(id, Json{{"settings", {{"policy", "lru"}, {"quality_metric", "token_f1"}}},
                                                  {"environment", {{"command", command}}}}));
      Event event;
      event.sequence = 1;
      event.payload = events::RequestFinished{sample_run(1, "lru", 1).records.front()};
      f.stores->runs().append(event);
      QVERIFY(f.stores->runs().finish_run(id, "finished"));
    }
    RunFiles files(f.library);
    QSignalSpy finished(&files, &RunFiles::finished);
    const auto report_of = [&](const QString& run) {
      const QString folder = f.folder.filePath("of-" + run);
      finished.clear();
      files.write_report({run}, folder);
      if (!QTest::qWaitFor([&] { return finished.count() == 1; }, 20000)) QTest::qFail("no report", __FILE__, __LINE__);
      return folder;
    };
    const QString folder = report_of("run-w");
    const std::string command = "kvantage-cli run --from run-w --db " + f.path.string();
    QCOMPARE(files.repeating_command("run-w"), to_q(command));
    for (const char* name : {"report.html", "report.json"})
      QVERIFY2(read_text_file((folder + '/' + name).toStdString()).value().find(command) != std::string::npos, name);
    const auto json = Json::parse(read_text_file((folder + "/report.json").toStdString()).value());
    QCOMPARE(json.at("environment").at("command").get<std::string>(), command);
    QVERIFY(
        read_text_file((report_of("run-x") + "/report.html").toStdString()).value().find("run quickstart --seed 3") !=
        std::string::npos);
  }

  void aRunGoesThroughAFile() {
    RecordedRuns f, other;
    f.three_runs();
    RunFiles out(f.library), in(other.library);
    const QString path = f.folder.filePath("a.kvrun");
    QSignalSpy written(&out, &RunFiles::finished), refused(&out, &RunFiles::failed), imported(&in, &RunFiles::imported);
    const RunNotes notes{"die zweite Messung", {"slides", "slow disk"}};
    QVERIFY(f.library->save_notes("run-a", notes));
    out.export_run("run-a", path);
    QTRY_COMPARE(written.count(), 1);
    in.import_run(path);
    QTRY_COMPARE(imported.count(), 1);
    QCOMPARE(other.library->read("run-a")->events.size(), f.library->read("run-a")->events.size());
    QVERIFY(other.library->list(0)->front().notes == notes);
    out.export_run("run-c", f.folder.filePath("c.kvrun"));  // has not ended
    QTRY_COMPARE(refused.count(), 1);
    QCOMPARE(out.repeating_command("it's"),
             QStringLiteral("kvantage-cli run --from 'it'\\''s' --db %1").arg(to_q(f.path.string())));
  }

  void filesAreCancelledAndLeaveNothing() {
    RecordedRuns f, other;
    record(*f.stores, "run-l", "lru", 3000, 1, 0);
    RunsDock out(f.library), in(other.library);
    for (RunsDock* dock : {&out, &in}) {
      dock->resize(1000, 300);
      dock->show();
    }
    const QString path = f.folder.filePath("l.kvrun");
    const auto cancel_of = [](RunsDock& dock) {
      for (QPushButton* button : dock.findChildren<QPushButton*>())
        if (button->accessibleName() == "Cancel reading or writing files") return button;
      return static_cast<QPushButton*>(nullptr);
    };
    QSignalSpy written(&out.files(), &RunFiles::finished), not_written(&out.files(), &RunFiles::cancelled);
    out.files().export_run("run-l", path);
    QVERIFY(cancel_of(out) && cancel_of(out)->isVisible());
    cancel_of(out)->click();
    QTRY_COMPARE(not_written.count(), 1);
    QVERIFY(!QFileInfo::exists(path) && written.isEmpty() && !cancel_of(out)->isVisible());
    QSignalSpy progress(&out.files(), &RunFiles::progress);
    out.files().export_run("run-l", path);
    QTRY_COMPARE(written.count(), 1);
    QVERIFY(progress.count() > 5);
    for (qsizetype i = 1; i < progress.count(); ++i)
      QVERIFY(progress[i][1].toInt() > progress[i - 1][1].toInt() && progress[i][1].toInt() <= progress[i][2].toInt());
    QSignalSpy imported(&in.files(), &RunFiles::imported), not_imported(&in.files(), &RunFiles::cancelled);
    in.files().import_run(path);
    cancel_of(in)->click();
    QTRY_COMPARE(not_imported.count(), 1);
    QVERIFY(other.library->list(0)->empty() && imported.isEmpty());
    in.files().import_run(path);
    QTRY_COMPARE(imported.count(), 1);
    QCOMPARE(other.library->list(0)->size(), std::size_t{1});
  }
};

KV_TEST_MAIN(RunFilesTest)

}  // namespace run_files_test

#include "run_files_test.moc"
