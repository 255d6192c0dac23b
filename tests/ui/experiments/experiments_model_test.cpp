// links: kv_ui
// The queue of experiments over a scripted host: what is kept survives a restart, finished cells are not served again,
// and the live session waits meanwhile.
#include <QDir>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <atomic>
#include <semaphore>

#include "core/sweep/sweep_table.h"
#include "tests/support/test_program.h"
#include "tests/ui/experiments/scripted_experiments.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/experiments/experiments_model.h"

namespace experiments_model_test {

using namespace kvantage;

namespace {

SweepPlan plan_of(std::size_t cells) {
  SweepPlan plan;
  plan.workload = "sensitivity-mix";
  for (std::size_t seed = 0; seed < cells; ++seed)
    plan.cells.push_back(
        {.policy = "lru", .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = seed, .uses_alpha = false});
  return plan;
}

/// A window's part of it, on a folder that outlives it.
struct Window {
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<ScriptedExperiments> host = std::make_shared<ScriptedExperiments>();
  ExperimentsModel model;
  explicit Window(const QString& folder) : model(host, folder, shown) {
    session.set_state(RunState::running);
    model.load();
    if (!QTest::qWaitFor([this] { return !model.loading(); }, 60000)) qFatal("not read");
  }
  ExperimentState state(const QString& id) { return model.find(id)->state; }
};

SweepTable table_of(const ExperimentsModel& model, const QString& id) {
  const Experiment& one = *model.find(id);
  return make_sweep_table(one.plan, one.results);
}

}  // namespace

class ExperimentsModelTest : public QObject {
  Q_OBJECT
 private slots:
  void anExperimentIsServedToItsEnd() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    QSignalSpy said(&window.model, &ExperimentsModel::said);
    const auto id = window.model.enqueue(" Budgets ", plan_of(2));
    QVERIFY(id.has_value());
    QCOMPARE(window.model.running(), *id);
    QCOMPARE(window.state(*id), ExperimentState::running);
    QCOMPARE(window.session.state(), RunState::paused);
    const Experiment& one = *window.model.find(*id);
    QCOMPARE(one.name, QString("Budgets"));
    QCOMPARE(one.plan.workload_digest, std::string("aa"));  // what the host added to the file
    QVERIFY(!window.model.remaining_seconds(one));
    window.host->serve(0.1, 0.8, 6);
    QCOMPARE(one.done(), 1u);
    QVERIFY(!one.complete());
    QCOMPARE(window.model.remaining_seconds(one), std::optional(6.0));
    QVERIFY2(window.model.progress_text(one).contains("about 6 s left"), qPrintable(window.model.progress_text(one)));
    QCOMPARE(window.model.index(0, ExperimentsModel::progress_column).data().toString(), QString("1/2"));
    window.host->serve(0.2, 0.9, 6);
    QVERIFY(!window.model.remaining_seconds(one));
    window.host->end();
    QCOMPARE(window.state(*id), ExperimentState::done);
    QCOMPARE(window.session.state(), RunState::running);
    QCOMPARE(said.size(), 1);
    QCOMPARE(said.front().at(0).toString(), QString("info"));
    const SweepTable table = make_sweep_table(one.plan, one.results);
    QCOMPARE(table.rows.size(), 1u);  // its two seeds
    QCOMPARE(table.rows.front().n, 2u);
    QCOMPARE(table.done, 2u);
  }

  void aRestartSkipsWhatIsFinished() {
    QTemporaryDir folder;
    QString id;
    {
      Window before(folder.filePath("experiments"));
      id = *before.model.enqueue("First", plan_of(3));
      QVERIFY(before.model.enqueue("Second", plan_of(1)).has_value());
      before.host->serve(0.1, 0.8);
      QCOMPARE(before.host->started.size(), 1);
    }  // the window ends in the middle of a cell
    Window after(folder.filePath("experiments"));
    QCOMPARE(after.model.rowCount(), 2);
    const Experiment& first = *after.model.find(id);
    QCOMPARE(first.state, ExperimentState::paused);
    QCOMPARE(first.done(), 1u);
    QCOMPARE(first.cells(), 3u);
    QCOMPARE(after.model.all().back().state, ExperimentState::queued);
    QCOMPARE(after.host->started.size(), 0);  // nothing starts by itself
    QCOMPARE(after.session.state(), RunState::running);
    QVERIFY(after.model.remaining_seconds(first).has_value());  // from the cell of the window before
    after.model.resume(id);
    QCOMPARE(after.host->started.size(), 1);
    QCOMPARE(after.host->missing().size(), 2u);
    QCOMPARE(after.host->missing().front().seed, 1u);
    after.host->serve(0.1, 0.8);
    after.host->serve(0.1, 0.8);
    after.host->end();
    QCOMPARE(after.state(id), ExperimentState::done);
    QCOMPARE(after.host->started.size(), 2);  // the next one in the queue
    QCOMPARE(after.model.running(), after.model.all().back().id);
    QCOMPARE(after.session.state(), RunState::paused);
  }

  // The command line may have served the same folder while no window was open.
  void cellsOfAnotherProgramCount() {
    QTemporaryDir folder;
    QString id, path;
    {
      Window before(folder.filePath("experiments"));
      id = *before.model.enqueue("Night", plan_of(2));
      before.model.pause();
      before.host->end();
      path = before.host->started.front();
      before.host->start(path);
      before.host->serve(0.1, 0.8);
      before.host->serve(0.1, 0.8);
    }
    Window after(folder.filePath("experiments"));
    QCOMPARE(after.model.find(id)->done(), 2u);
    QCOMPARE(after.state(id), ExperimentState::done);
  }

  void pauseHoldsTheQueue() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    const QString first = *window.model.enqueue("First", plan_of(2)),
                  second = *window.model.enqueue("Second", plan_of(1));
    QCOMPARE(window.state(second), ExperimentState::queued);
    window.host->serve(0.1, 0.8);
    window.model.pause();
    window.model.pause();
    QCOMPARE(window.host->pauses, 1);
    QVERIFY(window.model.ending());
    window.host->end();
    QCOMPARE(window.state(first), ExperimentState::paused);
    QVERIFY(window.model.running().isEmpty());
    QCOMPARE(window.host->started.size(), 1);
    QCOMPARE(window.session.state(), RunState::running);
    window.model.resume(first);
    QCOMPARE(window.host->missing().size(), 1u);
  }

  void cancelStartsTheNext() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    const QString first = *window.model.enqueue("First", plan_of(2)),
                  second = *window.model.enqueue("Second", plan_of(1)),
                  third = *window.model.enqueue("Third", plan_of(1));
    window.model.cancel(second);
    QCOMPARE(window.state(second), ExperimentState::canceled);
    window.model.cancel(first);
    QCOMPARE(window.host->cancels, 1);
    window.host->end();
    QCOMPARE(window.state(first), ExperimentState::canceled);
    QCOMPARE(window.model.running(), third);
    QCOMPARE(window.host->started.size(), 2);
  }

  void failuresAreKeptAndTriedAgain() {
    QTemporaryDir folder;
    QString id;
    {
      Window window(folder.filePath("experiments"));
      id = *window.model.enqueue("Bad", plan_of(1));
      window.host->fail_next("the tier is too small");
      window.host->end();
      QCOMPARE(window.state(id), ExperimentState::failed);
      QCOMPARE(table_of(window.model, id).failed.size(), 1u);
    }
    Window after(folder.filePath("experiments"));
    QCOMPARE(after.state(id), ExperimentState::failed);
    QCOMPARE(after.model.find(id)->failed(), 1u);
    QCOMPARE(table_of(after.model, id).failed.front().why, std::string("the tier is too small"));
    after.model.resume(id);
    QCOMPARE(after.model.find(id)->failed(), 0u);
    QCOMPARE(after.host->missing().size(), 1u);
    after.host->serve(0.1, 0.8);
    after.host->end();
    QCOMPARE(after.state(id), ExperimentState::done);
  }

  void whatEndsItIsSaid() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    QSignalSpy said(&window.model, &ExperimentsModel::said);
    const QString id = *window.model.enqueue("Broken", plan_of(1));
    window.host->end("The model is gone.");
    QCOMPARE(window.state(id), ExperimentState::failed);
    QCOMPARE(window.model.find(id)->trouble, QString("The model is gone."));
    QCOMPARE(said.size(), 1);
    QCOMPARE(said.front().at(1).toString(), QString("Broken: The model is gone."));
  }

  void removedIsGone() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    const QString id = *window.model.enqueue("Old", plan_of(1));
    window.model.remove(id);  // it is running
    QCOMPARE(window.model.rowCount(), 1);
    window.host->serve(0.1, 0.8);
    window.host->end();
    window.model.remove(id);
    QCOMPARE(window.model.rowCount(), 0);
    QVERIFY(QDir(folder.filePath("experiments")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
  }

  void nothingStartsWhereItCannot() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    window.shown.hold_live();  // a figure
    QVERIFY2(window.model.why_not().contains("figure"), qPrintable(window.model.why_not()));
    const QString id = *window.model.enqueue("Waits", plan_of(1));
    QCOMPARE(window.state(id), ExperimentState::queued);
    QCOMPARE(window.host->started.size(), 0);
    window.shown.release_live();
    window.model.resume(id);
    QCOMPARE(window.host->started.size(), 1);
    ScriptedSession session;
    SessionSwitch shown(session);
    ExperimentsModel without({}, {}, shown);
    QVERIFY(!without.why_not().isEmpty());
    QVERIFY(!without.enqueue("No", plan_of(1)).has_value());
  }

  // What is read takes as long as it takes: the window is there meanwhile, and the order of the queue is kept.
  void aSlowReaderBlocksNothing() {
    QTemporaryDir folder;
    QString earlier;
    {
      Window before(folder.filePath("experiments"));
      before.shown.hold_live();
      earlier = *before.model.enqueue("Earlier", plan_of(1));
      QCOMPARE(before.state(earlier), ExperimentState::queued);
    }
    std::binary_semaphore gate(0);
    std::atomic<int> reading = 0;
    ScriptedSession session;
    session.set_state(RunState::running);
    SessionSwitch shown(session);
    const auto host = std::make_shared<ScriptedExperiments>();
    ExperimentsModel model(host, folder.filePath("experiments"), shown, [&](const ExperimentStore& store) {
      ++reading;
      gate.acquire();
      return store.load();
    });
    const auto opened = qScopeGuard([&gate] { gate.release(); });  // its thread ends, whatever fails below
    QSignalSpy inserted(&model, &ExperimentsModel::rowsInserted), reset(&model, &ExperimentsModel::modelReset);
    model.load();
    model.load();
    QTRY_COMPARE(reading.load(), 1);
    bool alive = false;
    QTimer::singleShot(0, &model, [&alive] { alive = true; });
    QTRY_VERIFY(alive);
    QVERIFY(model.loading());
    QCOMPARE(model.rowCount(), 0);
    const QString later = *model.enqueue("Later", plan_of(1));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(host->started.size(), 0);  // one of before may be first
    gate.release();
    QTRY_VERIFY(!model.loading());
    QCOMPARE(reading.load(), 1);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.all().front().id, earlier);
    QCOMPARE(model.all().back().id, later);
    QCOMPARE(inserted.size(), 2);
    QCOMPARE(reset.size(), 0);
    QCOMPARE(model.running(), earlier);
    QVERIFY(host->started.front().endsWith(earlier));
  }

  // What a cell changes is its experiment's row; the list is not made again.
  void aCellChangesOneRow() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    const QString first = *window.model.enqueue("First", plan_of(1)),
                  second = *window.model.enqueue("Second", plan_of(200));
    window.host->serve(0.1, 0.8);
    window.host->end();
    QCOMPARE(window.model.running(), second);
    QSignalSpy changed(&window.model, &ExperimentsModel::dataChanged),
        reset(&window.model, &ExperimentsModel::modelReset), inserted(&window.model, &ExperimentsModel::rowsInserted),
        all(&window.model, &ExperimentsModel::resultsChanged), added(&window.model, &ExperimentsModel::cellAdded);
    for (int cell = 0; cell < 200; ++cell) window.host->serve(0.1, 0.8);
    QCOMPARE(window.model.find(second)->done(), 200u);
    QCOMPARE(added.size(), 200);
    QCOMPARE(all.size(), 0);
    QCOMPARE(reset.size(), 0);
    QCOMPARE(inserted.size(), 0);
    QVERIFY(changed.size() > 0);
    for (const QList<QVariant>& one : changed) {
      QCOMPARE(one.at(0).toModelIndex().row(), 1);
      QCOMPARE(one.at(1).toModelIndex().row(), 1);
    }
  }

  // What closing the window would lose is said: the running cell, not the queue.
  void whatIsLostIsSaid() {
    QTemporaryDir folder;
    Window window(folder.filePath("experiments"));
    QVERIFY(window.model.loss().isEmpty());
    const QString id = *window.model.enqueue("Budgets", plan_of(3));
    window.host->serve(0.1, 0.8);
    const QString loss = window.model.loss();
    for (const char* part : {"Experiment Budgets", "1 of 3 cell", "served is lost"})
      QVERIFY2(loss.contains(part), qPrintable(loss));
    window.model.pause();  // the running cell still ends with the window
    QVERIFY(!window.model.loss().isEmpty());
    window.model.cancel(id);
    QVERIFY(window.model.loss().isEmpty());
    window.host->end();
    QVERIFY(window.model.loss().isEmpty());
  }

  void aBrokenFolderIsLeftAlone() {
    QTemporaryDir folder;
    {
      Window window(folder.filePath("experiments"));
      QVERIFY(window.model.enqueue("Good", plan_of(1)).has_value());
    }
    QVERIFY(QDir(folder.path()).mkpath("experiments/other"));
    ScriptedSession session;
    SessionSwitch shown(session);
    ExperimentsModel model({}, folder.filePath("experiments"), shown);
    QSignalSpy said(&model, &ExperimentsModel::said), reset(&model, &ExperimentsModel::modelReset);
    model.load();
    QTRY_VERIFY(!model.loading());
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(reset.size(), 0);
    QCOMPARE(said.size(), 1);
    QVERIFY(QDir(folder.filePath("experiments/other")).exists());
  }
};

KV_TEST_MAIN(ExperimentsModelTest)

}  // namespace experiments_model_test

#include "experiments_model_test.moc"
