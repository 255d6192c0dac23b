// links: kv_ui app_wiring
// Recorded runs of an engine in the window: what was served is found, compared, replayed and reported. The engine
// serves in virtual time before the window opens; the window waits for its own threads.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "core/base/files.h"
#include "core/report/formats/report_files.h"
#include "profiles/run_library.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tests/ui/window/window_parts.h"
#include "ui/report/html_charts.h"
#include "ui/runs/runs_dock.h"

namespace recorded_window_test {

using namespace kvantage;
using namespace kvantage::test;

class RecordedWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void aRecordedRunIsComparedReplayedAndReported() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QTemporaryDir folder;
    auto opened = open_virtual(folder.path().toStdString(), small_workload(4, 24, 11), {"dram=1MiB", "ssd=2MiB"}, "lru",
                               true, {.displayed = true});
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    EngineHarness& harness = **opened;
    const auto lru = harness.serve("lru", 16), fixed = harness.serve("fixed(keydiff,0.6)", 16);
    QVERIFY(lru && fixed);
    std::shared_ptr<RunLibrary> library = std::move(*open_run_library(harness.session.database, machine_clock()));
    WindowOptions options{QString::fromStdString((folder.path() + "/window.ini").toStdString())};
    options.runs = library;
    MainWindow window(harness.engine(), options);
    window.show();
    auto* runs = window.body<RunsDock>("runs");
    window.show_view("runs");
    QTRY_COMPARE(runs->model().rowCount(), 2);
    QTRY_COMPARE(runs->model().missing_figures(), std::size_t{0});
    QStringList ids;
    for (int i = 0; i < 2; ++i) ids << runs->model().index(i, 0).data(RunsModel::run_id_role).toString();
    double sum = 0;
    for (const RequestRecord& record : *lru) sum += record.timing.ttft_service_seconds;
    QVERIFY(std::abs(runs->model().row(0)->metrics->ttft_service_seconds().mean() -
                     sum / static_cast<double>(lru->size())) < 1e-12);

    runs->choose(ids);
    runs->compare_chosen();
    QTRY_COMPARE(runs->comparison().sides(), 2);
    std::vector<RecordedRun> recorded;
    for (const QString& id : runs->chosen()) {
      auto run = library->read(id.toStdString(), report_event_types());
      recorded.push_back({run->summary, run->events});
    }
    QCOMPARE(to_json(runs->comparison().comparison()).dump(), to_json(compare_runs(recorded)).dump());

    replay_of(window).open(ids[0]);
    QTRY_VERIFY(replay_of(window).active());
    replay_of(window).seek(replay_of(window).size());
    QTRY_COMPARE(run_of(window).served(), std::uint64_t{16});
    QTRY_COMPARE(run_of(window).requests.rowCount(), 16);
    for (int i = 0; i < 16; ++i)
      QCOMPARE(to_json(run_of(window).requests.row(i)->record), to_json((*lru)[static_cast<std::size_t>(i)]));
    replay_of(window).seek(replay_of(window).size() / 2);
    QCOMPARE(run_of(window).served(),
             std::uint64_t{replay_of(window).source()->records_until(replay_of(window).moment()).size()});
    replay_of(window).close();
    QVERIFY(!replay_of(window).active());

    QSignalSpy written(&runs->files(), &RunFiles::finished);
    runs->files().write_report(ids, folder.filePath("report"));
    QTRY_COMPARE(written.count(), 1);
    std::vector<RecordedRun> in_order;
    for (const QString& id : ids) {
      auto run = library->read(id.toStdString(), report_event_types());
      in_order.push_back({run->summary, run->events});
    }
    QCOMPARE(read_text_file(folder.filePath("report/report.html").toStdString()).value(),
             to_html(report_of_runs(in_order), html_charts(report_of_runs(in_order)).value()));
  }
};

KV_TEST_MAIN(RecordedWindowTest)

}  // namespace recorded_window_test

#include "recorded_window_test.moc"
