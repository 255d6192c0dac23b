// links: kv_window_program
// Figures in the process of the window: one to its end, one canceled in its middle, one that is refused, one that ends
// with its window, and what each leaves behind.
#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include "app/figure_thread.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/command_line.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/papers/model/figure_job.h"

namespace figure_thread_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int long_ms = 240'000;
constexpr int patience_ms = 20'000;                                         // for a step in hand
constexpr ExperimentRunner::Patience impatient{.rounds = 1, .repeats = 0};  // times are compared with nothing

struct Bench {
  QTemporaryDir folder;
  ScriptedSession session;
  SessionSwitch shown{session};
  std::shared_ptr<FigureThread> figures;
  std::unique_ptr<FigureResults> results;
  std::unique_ptr<FigureJob> job;

  Bench() {
    session.set_state(RunState::running);
    figures = std::make_shared<FigureThread>(
        FigureThread::Setup{{}, folder.filePath("runs.db"), folder.filePath("store"), {}, impatient});
    results = std::make_unique<FigureResults>(folder.filePath("figures"));
    job = std::make_unique<FigureJob>(figures, *results, shown);
  }
  QStringList stores() const { return QDir(folder.filePath("store")).entryList({"figure-*"}, QDir::Dirs); }
};

}  // namespace

class FigureThreadTest : public QObject {
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

  // The window's model is handed over to figures that are made on it, not to those on random weights or without a
  // model.
  void theModelGoesToFiguresThatReadIt() {
    Bench bench;
    const FigureThread with({"/a model", {}, {}});
    QVERIFY(with.command({"compaction/overheads"}).endsWith("--model '/a model'"));
    // One that is named stays.
    const QString coding = with.command({"adaptcache/coding", "--model", "reference-mha"});
    QVERIFY2(coding.endsWith("adaptcache/coding --model reference-mha"), qPrintable(coding));
    for (const char* other : {"kvpr/fig12", "kvpr/examples", "evicpress/fig2", "evicpress/examples"})
      QVERIFY2(!with.command({other}).contains("--model"), other);
    // So does how it is read, with it.
    const FigureThread raw({"/a model", {}, {}, {"--prompt-form", "raw"}});
    QVERIFY(raw.command({"compaction/overheads"}).endsWith("--model '/a model' --prompt-form raw"));
    QVERIFY(!raw.command({"adaptcache/coding", "--model", "reference-mha"}).contains("--prompt-form"));
    QVERIFY(!raw.command({"kvpr/fig12"}).contains("--prompt-form"));
    if (!test::layer_inputs_are_short()) QSKIP(test::no_short_inputs);
    const auto figures = std::make_shared<FigureThread>(
        FigureThread::Setup{"/nowhere", {}, bench.folder.filePath("store"), {}, impatient});
    FigureJob job(figures, *bench.results, bench.shown);
    QVERIFY(job.start(*find_paper_figure("kvpr/fig12"),
                      {{"--width", "256"}, {"--context-tokens", "128"}, {"--answer-tokens", "8"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!job.running(), long_ms);
    QVERIFY2(job.trouble().isEmpty(), qPrintable(job.trouble()));
  }

  // As `reproduce --models` does; the window's own model is not among them.
  void severalModelsAreCompared() {
    Bench bench;
    const FigureThread with({"/a model", {}, {}, {"--prompt-form", "raw"}});
    QVERIFY2(with.command({"compaction/compaction", "--models", "a,b"}).endsWith("--models a,b"),
             qPrintable(with.command({"compaction/compaction", "--models", "a,b"})));
    const auto trouble_of = [&bench](const char* figure, const FigureOptions& options) {
      if (!bench.job->start(*find_paper_figure(figure), options)) return QString("it does not start");
      if (!QTest::qWaitFor([&] { return !bench.job->running(); }, long_ms)) return QString("it does not end");
      return bench.job->trouble();
    };
    QVERIFY(trouble_of("compaction/compaction", {{"--models", ","}}).contains("no model is named"));
    QVERIFY(trouble_of("compaction/compaction", {{"--models", "default"}, {"--model", "x"}}).contains("leave one"));
    QVERIFY(trouble_of("kvpr/examples", {{"--models", "default"}}).contains("takes no --model"));
    if (model_directory().empty()) QSKIP("no model here");
    const QString models = "default," + QString::fromStdString(model_directory().string());
    QCOMPARE(trouble_of("compaction/compaction", {{"--contexts", "1"},
                                                  {"--context-tokens", "256"},
                                                  {"--answer-tokens", "24"},
                                                  {"--page-tokens", "16"},
                                                  {"--blocks", "2"},
                                                  {"--eviction-methods", "knorm"},
                                                  {"--models", models}}),
             QString());
    const auto made = bench.results->of("compaction/compaction");  // newest first: of each, and side by side
    QCOMPARE(made.size(), std::size_t{3});
    const auto compared = made[0]->result.settings.at("models").get<std::string>();
    QVERIFY2(compared.starts_with("default, ") && compared.size() > 9, compared.c_str());
    QVERIFY(!made[0]->result.settings.contains("model name"));
    QVERIFY(made[1]->result.settings.contains("model name") && !made[1]->result.tables.empty());
    QCOMPARE(made[2]->result.settings.at("model name").get<std::string>(), std::string("default"));
  }

  // Cancelled while it runs: what was served is recorded, nothing else is left.
  void cancellingEndsIt() {
    if (model_directory().empty()) QSKIP("no model here");
    Bench bench;
    const QString workload = bench.folder.filePath("workload");
    QVERIFY(write_workload(small_workload(4, 24, 5), workload.toStdString()));
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig7"), {{"--workload", workload},
                                                                    {"--methods", "keydiff"},
                                                                    {"--removed", "0.6"},
                                                                    {"--seeds", "2"},
                                                                    {"--limit", "40"},
                                                                    {"--budgets", "0.2"},
                                                                    {"--alpha", "0.3"},
                                                                    {"--policy", "lru,full_prefill,evicpress"}}));
    QTRY_VERIFY_WITH_TIMEOUT(bench.job->cells_done() >= 1 || !bench.job->running(), long_ms);
    QVERIFY2(bench.job->running(), qPrintable(bench.job->trouble()));
    QCOMPARE(bench.job->cells(), std::size_t{6});
    QCOMPARE(bench.stores().size(), 1);
    QElapsedTimer waited;
    waited.start();
    bench.job->cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(waited.elapsed() < patience_ms, "it did not end soon");
    QVERIFY(!bench.figures->running());
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

  // The command on the clipboard is what a shell reads back.
  void theCommandIsThatOfATerminal() {
    const FigureThread figures({{}, {}, {}});
    QCOMPARE(figures.command({"evicpress/fig7", "--policy", "lru,evicpress(drop=best)"}),
             QString("kvantage-cli reproduce evicpress/fig7 --policy 'lru,evicpress(drop=best)'"));
    QCOMPARE(figures.command({"evicpress/fig7", "--workload", "it's"}),
             QString("kvantage-cli reproduce evicpress/fig7 --workload 'it'\\''s'"));
    const QStringList typed{"reproduce", "evicpress/fig2", "--workload", "quickstart"};
    QCOMPARE(call(typed).exit_code, 2);  // a figure that reads no workload: the thread says the same
    Bench bench;
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig2"), {{"--workload", "quickstart"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(call(typed).error.contains(bench.job->trouble()), qPrintable(bench.job->trouble()));
  }

  // One after the other, the second after a failure.
  void anotherFigureFollows() {
    Bench bench;
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig8"), {{"--rate", "much"}}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY(!bench.job->trouble().isEmpty());
    QVERIFY(bench.job->start(*find_paper_figure("evicpress/fig2"), {}));
    QTRY_VERIFY_WITH_TIMEOUT(!bench.job->running(), long_ms);
    QVERIFY2(bench.job->trouble().isEmpty(), qPrintable(bench.job->trouble()));
    QVERIFY(bench.results->newest("evicpress/fig2"));
  }

  void itEndsWithTheWindow() {
    if (model_directory().empty()) QSKIP("no model here");
    QElapsedTimer waited;
    {
      Bench bench;
      QVERIFY(bench.job->start(*find_paper_figure("pagedeviction/fig2"), {}));
      QTRY_VERIFY_WITH_TIMEOUT(bench.job->cells() > 0, long_ms);
      QVERIFY(bench.figures->running());
      waited.start();
    }
    QVERIFY2(waited.elapsed() < patience_ms, "its thread was waited for too long");
  }
};

KV_TEST_GUILESS_MAIN(FigureThreadTest)

}  // namespace figure_thread_test

#include "figure_thread_test.moc"
