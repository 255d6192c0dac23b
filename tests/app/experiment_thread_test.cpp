// links: kv_window_program
// An experiment in the process of the window: paused and resumed, so that each cell is served once; one that is
// aborted, one that is refused, and what each leaves behind. Its folder is one of `kvantage-cli sweep`.
#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <memory>

#include "app/cli/sweep/local_sweep.h"
#include "app/experiment_thread.h"
#include "core/base/files.h"
#include "core/sweep/sweep_results.h"
#include "tests/support/command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/experiments/experiments_model.h"

namespace experiment_thread_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

constexpr int long_ms = 240'000;

struct Bench {
  QTemporaryDir temporary;
  path folder = temporary.path().toStdString();
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<ExperimentThread> thread;
  std::unique_ptr<ExperimentsModel> model;

  Bench() {
    session.set_state(RunState::running);
    if (!write_workload(small_workload(4, 12, 5), folder / "workload")) qFatal("no workload");
    SweepPlan base;
    base.workload = (folder / "workload").string();
    base.model = model_directory().string();
    base.tiers = {"dram=600KiB", "ssd=1MiB"};
    base.request_limit = 6;
    thread =
        std::make_shared<ExperimentThread>(ExperimentThread::Setup{base, folder / "runs.db", folder / "stores", {}});
    model = std::make_unique<ExperimentsModel>(thread, temporary.filePath("experiments"), shown);
    model->load();
    if (!QTest::qWaitFor([this] { return !model->loading(); }, long_ms)) qFatal("not read");
  }
  SweepPlan plan(const std::vector<std::string>& policies) const {
    SweepPlan made = thread->base_plan();
    for (const std::string& policy : policies)
      made.cells.push_back(
          {.policy = policy, .alpha = 1, .budget = {}, .requests_per_second = 0, .seed = 0, .uses_alpha = false});
    return made;
  }
  QStringList stores() const { return QDir(temporary.filePath("stores")).entryList(QDir::Dirs | QDir::NoDotAndDotDot); }
  path folder_of(const QString& id) const { return folder / "experiments" / id.toStdString(); }
};

}  // namespace

class ExperimentThreadTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model here");
  }

  void pausedAndResumedEachCellIsServedOnce() {
    Bench bench;
    QSignalSpy kept(bench.thread.get(), &ExperimentHost::cellKept);
    const auto id = bench.model->enqueue("Three", bench.plan({"lru", "lfu", "full_prefill"}));
    QVERIFY(id.has_value());
    QCOMPARE(bench.session.state(), RunState::paused);
    bench.model->pause();  // before the first cell begins, or after it
    QTRY_VERIFY_WITH_TIMEOUT(bench.model->running().isEmpty(), long_ms);
    const Experiment& one = *bench.model->find(*id);
    QVERIFY2(one.trouble.isEmpty(), qPrintable(one.trouble));
    QCOMPARE(one.state, ExperimentState::paused);
    QVERIFY(one.done() < 3);
    QVERIFY(!one.plan.model_digest.empty() && !one.plan.workload_digest.empty());
    QVERIFY(bench.stores().isEmpty());
    QCOMPARE(bench.session.state(), RunState::running);
    bench.model->resume(*id);
    QTRY_VERIFY_WITH_TIMEOUT(bench.model->running().isEmpty(), long_ms);
    QVERIFY2(one.trouble.isEmpty(), qPrintable(one.trouble));
    QCOMPARE(one.state, ExperimentState::done);
    QCOMPARE(kept.size(), 3);
    for (const auto& [cell, result] : one.results) {
      QCOMPARE(result["requests"].get<int>(), 6);
      QVERIFY(result["cell_seconds"].get<double>() > 0);
    }
    // The command line finds nothing left to do in the same folder.
    const QString at = text_of(bench.folder_of(*id));
    const Answer answer = call({"sweep", "--plan", at + "/plan.json", "--out", at, "--resume", "--db",
                                bench.temporary.filePath("runs.db"), "--threads", "1", "--quiet", "--json"});
    QVERIFY2(answer.exit_code == 0, qPrintable(answer.error));
    const auto table = parse_json(answer.out.toStdString(), "table");
    QCOMPARE((*table)["done"].get<int>(), 3);
    std::set<std::string> mine, theirs;
    for (const auto& [cell, result] : one.results) mine.insert(result["run_id"].get<std::string>());
    for (const Json& row : (*table)["rows"])
      for (const Json& run : row["run_ids"]) theirs.insert(run.get<std::string>());
    QCOMPARE(theirs, mine);
  }

  void cancelAborts() {
    Bench bench;
    QSignalSpy begun(bench.thread.get(), &ExperimentHost::cellBegun);
    const auto id = bench.model->enqueue("Aborted", bench.plan({"lru", "lfu", "full_prefill"}));
    QTRY_VERIFY_WITH_TIMEOUT(!begun.isEmpty(), long_ms);
    bench.model->cancel(*id);
    QTRY_VERIFY_WITH_TIMEOUT(bench.model->running().isEmpty(), long_ms);
    QCOMPARE(bench.model->find(*id)->state, ExperimentState::canceled);
    QVERIFY(bench.model->find(*id)->done() < 3);
    QVERIFY(bench.stores().isEmpty());
  }

  void whatIsRefusedIsSaid() {
    Bench bench;
    SweepPlan plan = bench.plan({"lru"});
    plan.model = "/nowhere/model";
    const auto id = bench.model->enqueue("Refused", plan);
    QTRY_VERIFY_WITH_TIMEOUT(bench.model->running().isEmpty(), long_ms);
    QCOMPARE(bench.model->find(*id)->state, ExperimentState::failed);
    QVERIFY2(bench.model->find(*id)->trouble.contains("/nowhere/model"), qPrintable(bench.model->find(*id)->trouble));
  }

  // Another program serves the folder: one line says which, nothing of it is served here, and once it has ended the
  // experiment can be resumed. The command line says the same.
  void aFolderIsServedByOneProgram() {
    Bench bench;
    bench.shown.hold_live();
    const QString id = *bench.model->enqueue("Shared", bench.plan({"lru"}));
    bench.shown.release_live();
    const path folder = bench.folder_of(id);
    {
      const auto other = cli::lock_sweep(folder);
      QVERIFY2(other.has_value(), other ? "" : other.error().message.c_str());
      std::ofstream(folder / "sweep.lock") << "12345\n";  // as if it were another process
      const std::string line =
          folder.string() + ": sweep in use by process 12345; wait for it, or end it there and resume here";
      QSignalSpy begun(bench.thread.get(), &ExperimentHost::cellBegun);
      bench.model->resume(id);
      QTRY_VERIFY_WITH_TIMEOUT(bench.model->running().isEmpty(), long_ms);
      QCOMPARE(bench.model->find(id)->state, ExperimentState::failed);
      QCOMPARE(bench.model->find(id)->trouble, QString::fromStdString(line));
      QCOMPARE(begun.size(), 0);
      QCOMPARE(bench.model->find(id)->results.size(), std::size_t{0});
      const QString at = text_of(folder);
      const Answer answer = call({"sweep", "--plan", at + "/plan.json", "--out", at, "--resume", "--db",
                                  bench.temporary.filePath("runs.db"), "--threads", "1", "--quiet"});
      QCOMPARE(answer.exit_code, 1);
      QVERIFY2(answer.error.contains(QString::fromStdString(line)), qPrintable(answer.error));
    }
    bench.model->resume(id);
    QTRY_VERIFY_WITH_TIMEOUT(bench.model->running().isEmpty(), long_ms);
    QVERIFY2(bench.model->find(id)->trouble.isEmpty(), qPrintable(bench.model->find(id)->trouble));
    QCOMPARE(bench.model->find(id)->state, ExperimentState::done);
  }

  void theCommandIsQuoted() {
    const ExperimentThread thread({{}, "/a b/runs.db", {}, {}});
    QCOMPARE(thread.command("/x/it's"), QString("kvantage-cli sweep --plan '/x/it'\\''s/plan.json' --out '/x/it'\\''s' "
                                                "--db '/a b/runs.db' --resume"));
  }
};

KV_TEST_MAIN(ExperimentThreadTest)

}  // namespace experiment_thread_test

#include "experiment_thread_test.moc"
