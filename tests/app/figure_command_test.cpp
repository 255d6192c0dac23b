// links: kv_ui_models
// Figures through the command line that the window starts: one to its end, one cancelled in its middle, one that is
// refused, and what each leaves behind.
#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>

#include <memory>

#include "core/experiments/paper_figures.h"
#include "tests/support/command_line.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/ui/scripted_session.h"
#include "ui/models/figure_command.h"
#include "ui/models/figure_job.h"

namespace figure_command_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int long_ms = 240'000;

struct Bench {
  QTemporaryDir folder;
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<FigureCommand> command;
  std::unique_ptr<FigureResults> results;
  std::unique_ptr<FigureJob> job;

  explicit Bench(const QString& program = command_line_program()) {
    session.set_state(RunState::running);
    command = std::make_shared<FigureCommand>(
        FigureCommand::Setup{program, {}, folder.filePath("runs.db"), folder.filePath("store")});
    results = std::make_unique<FigureResults>(folder.filePath("figures"));
    job = std::make_unique<FigureJob>(command, *results, shown);
  }
  QStringList stores() const { return QDir(folder.filePath("store")).entryList({"figure-*"}, QDir::Dirs); }
};

bool alive(qint64 process) { return ::kill(static_cast<pid_t>(process), 0) == 0; }

}  // namespace

class FigureCommandTest : public QObject {
  Q_OBJECT
 private slots:
  void theWorkedExample() {
    Bench bench;
    QSignalSpy made(bench.job.get(), &FigureJob::made);
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig2"), {}));
    QCOMPARE(bench.session.state(), RunState::paused);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(bench.job->trouble().isEmpty(), qPrintable(bench.job->trouble()));
    QCOMPARE(made.size(), 1);
    const KeptFigure* kept = bench.results->newest("evicpress/fig2");
    QVERIFY(kept);
    QCOMPARE(kept->result.tables.at(0).rows.at(2).at(2).get<double>(), 0.5);
    QCOMPARE(bench.job->cells_done(), std::size_t{1});
    QVERIFY(bench.stores().isEmpty());
    QCOMPARE(bench.session.state(), RunState::running);
  }

  void aFigureOfTheModel() {
    if (model_directory().empty()) QSKIP("no model here");
    Bench bench;
    QVERIFY(
        bench.job->start(*find_paper_figure("compaction/compaction"), {{"--contexts", "1"},
                                                                       {"--context-tokens", "256"},
                                                                       {"--answer-tokens", "40"},
                                                                       {"--page-tokens", "16"},
                                                                       {"--blocks", "2"},
                                                                       {"--eviction-methods", "streaming_llm,knorm"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(bench.job->trouble().isEmpty(), qPrintable(bench.job->trouble()));
    // Twice the full cache, and two methods with two kinds of passes and none.
    QCOMPARE(bench.job->cells(), std::size_t{14});
    QCOMPARE(bench.job->cells_done(), std::size_t{14});
    const KeptFigure* kept = bench.results->newest("compaction/compaction");
    QVERIFY(kept && kept->result.tables.at(0).rows.size() == 7);
    QVERIFY(!kept->result.findings.empty());
    QVERIFY(kept->options.size() == 6);
  }

  // The window's model is handed over to figures that are made on it, not to those on random weights.
  void theModelGoesToFiguresThatReadIt() {
    Bench bench;
    const FigureCommand with({command_line_program(), "/a model", {}, {}});
    QVERIFY(with.command({"compaction/overheads"}).endsWith("--model '/a model'"));
    QVERIFY(!with.command({"kvpr/fig12"}).contains("--model"));
    if (!test::layer_inputs_are_short()) QSKIP(test::no_short_inputs);
    const auto command = std::make_shared<FigureCommand>(
        FigureCommand::Setup{command_line_program(), "/nowhere", {}, bench.folder.filePath("store")});
    FigureJob job(command, *bench.results, bench.shown);
    QVERIFY(job.start(*find_paper_figure("kvpr/fig12"),
                      {{"--width", "256"}, {"--context-tokens", "128"}, {"--answer-tokens", "8"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!job.running(), long_ms);
    QVERIFY2(job.trouble().isEmpty(), qPrintable(job.trouble()));
  }

  // Cancelled while it runs: what was served is recorded, nothing else is left.
  void cancellingEndsIt() {
    if (model_directory().empty()) QSKIP("no model here");
    Bench bench;
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig7"), {{"--workload", "quickstart"},
                                                                    {"--methods", "keydiff"},
                                                                    {"--removed", "0.6"},
                                                                    {"--seeds", "2"},
                                                                    {"--limit", "40"},
                                                                    {"--budgets", "0.2"},
                                                                    {"--alpha", "0.3"},
                                                                    {"--policy", "lru,full_prefill,evicpress"}}));
    const qint64 process = bench.command->process_id();
    QTRY_VERIFY_WITH_TIMEOUT(bench.job->cells_done() >= 1 || !bench.job->running(), long_ms);
    QVERIFY2(bench.job->running(), qPrintable(bench.job->trouble()));
    QCOMPARE(bench.job->cells(), std::size_t{6});
    QCOMPARE(bench.stores().size(), 1);
    QElapsedTimer waited;
    waited.start();
    bench.job->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(waited.elapsed() < FigureCommand::patience_ms, "it had to be killed");
    QVERIFY(!alive(process));
    QVERIFY2(bench.job->trouble().contains("canceled after"), qPrintable(bench.job->trouble()));
    QVERIFY(bench.stores().isEmpty());
    QVERIFY(!bench.results->newest("evicpress/fig7"));
    QVERIFY(!bench.job->runs().isEmpty());
    const Answer listed = call({"runs", "list", "--db", bench.folder.filePath("runs.db"), "--json"});
    QVERIFY2(listed.exit_code == 0, listed.text().constData());
    for (const QString& run : bench.job->runs()) QVERIFY2(listed.out.contains(run), qPrintable(run));
  }

  void whatIsRefusedComesInItsOwnWords() {
    Bench bench;
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig8"), {{"--rate", "much"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(bench.job->trouble().contains("'much'"), qPrintable(bench.job->trouble()));
    QVERIFY(bench.stores().isEmpty());
    QCOMPARE(bench.session.state(), RunState::running);
  }

  void aProgramThatIsNotThereIsSaid() {
    Bench bench("/nowhere/kvantage-cli");
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig2"), {}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(bench.job->trouble().contains("cannot be started"), qPrintable(bench.job->trouble()));
  }

  void itEndsWithTheWindow() {
    if (model_directory().empty()) QSKIP("no model here");
    qint64 process = 0;
    {
      Bench bench;
      QVERIFY(bench.job->start(*find_paper_figure("pagedeviction/fig2"), {}));
      process = bench.command->process_id();
      QTRY_VERIFY_WITH_TIMEOUT(bench.job->cells() > 0, long_ms);
      QVERIFY(alive(process));
    }
    QVERIFY(!alive(process));
  }
};

KV_TEST_GUILESS_MAIN(FigureCommandTest)

}  // namespace figure_command_test

#include "figure_command_test.moc"
