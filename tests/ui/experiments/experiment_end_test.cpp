// links: kv_ui
// A window that is closed while an experiment runs: it says which and how far it is, keeps the queue by default, and
// asks nothing where no cell is being served.
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/experiments/scripted_experiments.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/experiments/experiments_page.h"

namespace experiment_end_test {

using namespace kvantage;

namespace {

struct Bench {
  ScriptedSession session;
  QTemporaryDir folder;
  std::shared_ptr<ScriptedExperiments> host = std::make_shared<ScriptedExperiments>();
  std::shared_ptr<ScriptedFigures> figures = std::make_shared<ScriptedFigures>();
  std::unique_ptr<MainWindow> window;
  explicit Bench(ScriptedWindow& scripted) {
    WindowOptions options = scripted.options();
    options.figures = figures;
    options.experiments = host;
    options.experiments_folder = folder.filePath("experiments");
    window = std::make_unique<MainWindow>(session, options);
    window->show();
    session.set_state(RunState::ready);
  }
  ExperimentsModel& model() { return window->body<ExperimentsPage>("experiments")->model(); }
  /// Two of them; the first one runs and has one of its cells.
  void begin() {
    QTRY_COMPARE(session.state(), RunState::running);
    model().load();
    QTRY_VERIFY(!model().loading());
    for (const char* name : {"First", "Second"}) {
      SweepPlan plan;
      plan.workload = "sensitivity-mix";
      for (std::uint64_t seed = 0; seed < 3; ++seed)
        plan.cells.push_back(
            {.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = seed, .uses_alpha = false});
      QVERIFY(model().enqueue(name, plan).has_value());
    }
    host->serve(0.1, 0.8);
  }
  QMessageBox* box() {
    for (QMessageBox* one : window->findChildren<QMessageBox*>("endFigureBox"))
      if (one->isVisible()) return one;
    return nullptr;
  }
  void press(const QString& text) {
    for (QAbstractButton* button : box()->buttons())
      if (button->text().remove('&') == text) return button->click();
    QFAIL(qPrintable(text));
  }
};

}  // namespace

class ExperimentEndTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void closingKeepsTheQueueByDefault() {
    Bench bench(scripted_);
    bench.begin();
    QVERIFY(!bench.window->close());
    QVERIFY(bench.window->isVisible());
    QVERIFY(bench.box());
    for (const char* part : {"Experiment First", "1 of 3 cell", "being served is lost"})
      QVERIFY2(bench.box()->text().contains(part), qPrintable(bench.box()->text()));
    QVERIFY(bench.box()->informativeText().contains("queue of experiments"));
    QCOMPARE(bench.box()->defaultButton()->text().remove('&'), QString("Keep the queue for the next start"));
    bench.host->serve(0.1, 0.8);
    QTRY_VERIFY(bench.box()->text().contains("2 of 3 cell"));
    bench.press("Keep running");
    QTRY_VERIFY(!bench.box());
    QVERIFY(bench.window->isVisible());
    QVERIFY(!bench.window->close());
    bench.press("Keep the queue for the next start");
    QTRY_VERIFY(!bench.window->isVisible());
    // The next window has both, and starts none by itself.
    SessionSwitch shown(bench.session);
    ExperimentsModel next(std::make_shared<ScriptedExperiments>(), bench.folder.filePath("experiments"), shown);
    next.load();
    QTRY_VERIFY(!next.loading());
    QCOMPARE(next.rowCount(), 2);
    QCOMPARE(next.all().front().state, ExperimentState::paused);
    QCOMPARE(next.all().front().done(), 2u);
    QCOMPARE(next.all().back().state, ExperimentState::queued);
    QVERIFY(next.running().isEmpty());
  }

  void nothingIsAskedWhereNothingRuns() {
    Bench idle(scripted_);
    QVERIFY(idle.window->close());
    Bench paused(scripted_);
    paused.begin();
    paused.model().pause();
    paused.host->end();
    QVERIFY(paused.window->close());
    QVERIFY(!paused.box());
  }

  void anExperimentThatEndsMeanwhileIsInNobodysWay() {
    Bench bench(scripted_);
    bench.begin();
    QVERIFY(!bench.window->close());
    bench.model().pause();
    bench.host->end();
    QTRY_VERIFY(!bench.window->isVisible());
    QVERIFY(!bench.box());
  }
};

KV_TEST_MAIN(ExperimentEndTest)

}  // namespace experiment_end_test

#include "experiment_end_test.moc"
