// links: kv_ui
// Work that takes long shows how far it is and can be given up: comparing runs, computing their figures, opening
// another workload. The window answers meanwhile, and what was shown before stays.
#include <QMessageBox>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/runs/runs_dock.h"

namespace long_work_test {

using namespace kvantage;

namespace {

WorkLine* line_of(QWidget& window, const QString& cancel) {
  for (WorkLine* line : window.findChildren<WorkLine*>())
    if (line->cancel().accessibleName() == cancel) return line;
  return nullptr;
}

}  // namespace

class LongWorkTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  struct Bench {
    std::shared_ptr<MemoryLibrary> library = std::make_shared<MemoryLibrary>();
    RunsDock dock{library};
    Bench() {
      for (const char* id : {"a", "b", "c"}) library->runs[id] = scripted_run(id, 12, 40, 2);
      dock.resize(1000, 400);
      dock.show();
      if (!QTest::qWaitFor([this] { return dock.model().rowCount() == 3 && dock.model().missing_figures() == 0; },
                           10000))
        QTest::qFail("no runs", __FILE__, __LINE__);
    }
  };

 private slots:
  void comparingShowsHowFarItIsAndIsGivenUp() {
    Bench b;
    WorkLine& line = b.dock.reading_work();
    QVERIFY(!line.isVisible());
    b.library->hold();
    b.dock.choose({"a", "b"});
    b.dock.compare_chosen();
    QVERIFY(b.dock.comparing() && line.isVisible());
    QCOMPARE(line.bar().maximum(), 100);
    QTRY_COMPARE(line.bar().value(), 12);  // a quarter of the first of two
    line.cancel().click();
    QVERIFY(!line.isVisible() && !b.dock.comparison().busy() &&
            !b.dock.comparing());  // there was nothing to go back to but the list
    b.library->let_go();
    b.dock.compare_chosen();
    QTRY_COMPARE(b.dock.comparison().sides(), 2);
    QVERIFY(!line.isVisible() && b.dock.comparing());
  }

  void whatWasComparedStays() {
    Bench b;
    b.dock.choose({"a", "b"});
    b.dock.compare_chosen();
    RunComparisonModel& model = b.dock.comparison();
    QTRY_COMPARE(model.sides(), 2);
    const QString before = model.to_text();
    QSignalSpy compared(&model, &RunComparisonModel::compared), cancelled(&model, &RunComparisonModel::cancelled);
    model.set_periods(true);
    QVERIFY(model.busy());
    model.cancel();
    QCOMPARE(cancelled.count(), 1);
    QVERIFY(!model.showing_periods() && !model.busy());
    test::settle(200);  // the answer comes, and is nobody's
    QVERIFY(compared.isEmpty());
    QCOMPARE(model.to_text(), before);
    QVERIFY(b.dock.comparing());
    model.set_baseline(1);
    QTRY_COMPARE(compared.count(), 1);
    QVERIFY(model.to_text() != before);
  }

  void figuresShowHowFarTheyAreAndAreGivenUp() {
    Bench b;
    WorkLine& line = b.dock.reading_work();
    b.library->hold();
    b.dock.choose({"c"});
    b.dock.show_metrics_of_chosen();
    QVERIFY(line.isVisible() && b.dock.showing_metrics());
    QTRY_COMPARE(line.bar().value(), 25);
    line.cancel().click();
    QVERIFY(!line.isVisible() && !b.dock.metrics().busy() && !b.dock.showing_metrics());
    b.library->let_go();
    b.dock.show_metrics_of_chosen();
    QTRY_VERIFY(b.dock.metrics().rowCount() > 0);
    QVERIFY(!line.isVisible());
  }

  void openingIsGivenUpAndTheWindowAnswersMeanwhile() {
    ScriptedSession session;
    std::atomic<bool> go = false;
    std::atomic<int> checked = 0;
    WindowOptions options = scripted_.options();
    options.check_workload = options.check_model = [&](const QString& path) {
      while (path.contains("slow") && !go) QThread::msleep(1);
      ++checked;
      return QString();
    };
    auto window = scripted_.loaded(session, options);
    const auto offered = [&window] { return window->findChildren<QMessageBox*>("openWorkloadBox").size(); };
    WorkLine* line = line_of(*window, "Cancel opening");
    QVERIFY(line && !line->isVisible());
    files_of(*window).workloads()->offer("/tmp/slow text.txt");
    QVERIFY(line->isVisible());
    QCOMPARE(line->text(), QString("Reading slow text.txt"));
    QCOMPARE(line->bar().maximum(), 0);  // of unknown length
    session.serve(20);                   // the window lives
    QTRY_COMPARE(run_of(*window).served(), 20u);
    QVERIFY(line->isVisible() && offered() == 0);

    // Two at once: the line stays until both are done with.
    files_of(*window).models()->offer("/tmp/slow model");
    QCOMPARE(line->text(), QString("Reading slow model"));
    line->cancel().click();
    QVERIFY(!line->isVisible());
    go = true;
    QTRY_COMPARE(checked.load(), 2);
    test::settle(50);
    QCOMPARE(offered(), 0);

    files_of(*window).workloads()->offer("/tmp/other.txt");
    QTRY_COMPARE(offered(), 1);
    QVERIFY(!line->isVisible());
  }
};

KV_TEST_MAIN(LongWorkTest)

}  // namespace long_work_test

#include "long_work_test.moc"
