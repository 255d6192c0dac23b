// links: kv_reports kv_cli_program
// `reproduce` of EvicPress: the worked example in words and as JSON, curves and runs on a small workload with the real
// model, and what is refused.
#include <QtTest>
#include <filesystem>

#include "app/wiring/resources.h"
#include "core/base/json.h"
#include "core/experiments/paper_figures.h"
#include "core/report/figure.h"
#include "tests/support/command_line.h"
#include "tests/support/made_figure.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace reproduce_figures_test {

using namespace kvantage;
using namespace kvantage::test;

class ReproduceFiguresTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QStringList on_a_workload(const QString& figure) const {
    return {figure,       "--json",
            "--workload", folder_.filePath("workload"),
            "--model",    QString::fromStdString(model_directory().string()),
            "--store",    folder_.filePath("store"),
            "--methods",  "keydiff",
            "--removed",  "0.6",
            "--seeds",    "1",
            "--limit",    "8"};
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) return;
    const Answer answer = call_forked(
        QStringList{"workload", "make", "--out", folder_.filePath("workload"), "--name", "eight", "--seed", "3"} +
        few_contexts("4") +
        QStringList{"--tier", "dram=400KiB,bandwidth=540MB/s,latency=0.2ms", "--tier",
                    "ssd=800KiB,bandwidth=180MB/s,latency=1ms", "--policy", "evicpress", "--methods", "keydiff",
                    "--removed", "0.6"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
  }

  void theWorkedExample() {
    const Answer json = call_forked({"reproduce", "evicpress/fig2", "--json"});
    QVERIFY2(json.exit_code == 0, json.text().constData());
    const Json figure = Json::parse(json.out.toStdString());
    QCOMPARE(figure.at("provenance").get<std::string>(), std::string("modelled"));
    QCOMPARE(figure.at("tables").at(0).at("rows").at(2).at(2).get<double>(), 0.5);
    QVERIFY(call_forked({"reproduce", "evicpress/fig2"}).out.contains("all numbers match the paper's"));
  }

  void runsOfPolicies() {
    if (model_directory().empty()) QSKIP("no model here");
    QStringList words = on_a_workload("evicpress/runs");
    words << "--policy"
          << "full_prefill,lru,fixed(keydiff,0.6),evicpress"
          << "--alpha"
          << "0.3"
          << "--budgets"
          << "0.2";
    const Answer answer = call_figure(words);
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    // Four figures of the same runs, one JSON array.
    for (const char* figure :
         {"\"evicpress/fig7\"", "\"evicpress/fig9\"", "\"evicpress/fig11\"", "\"evicpress/fig12\""})
      QVERIFY2(answer.out.contains(figure), figure);
    const Json first = Json::parse(answer.out.toStdString()).at(0);
    const Json& points = first.at("tables").at(0).at("rows");
    QCOMPARE(points.size(), std::size_t{4});
    for (const Json& point : points) {
      QVERIFY(point.at(3).get<double>() > 0);  // TTFT
      QVERIFY(point.at(10).get<int>() <= 8);   // n
    }
    QVERIFY(points.at(0).at(1).get<std::string>() == "full_prefill");
  }

  // Every option that a figure's settings name is one of the command, with a value that it takes.
  void everySettingIsAnOption() {
    const QString help = call_forked({"reproduce", "--help"}).out;
    for (const PaperFigure& figure : paper_figures())
      for (const FigureSetting& setting : figure.settings)
        QVERIFY2(help.contains(QString::fromStdString(setting.option + " ")),
                 (figure.name + " " + setting.option).c_str());
    for (const PaperFigure& figure : paper_figures())
      for (const std::string& option : figure.more)
        QVERIFY2(help.contains(QString::fromStdString(option + " ")), (figure.name + " " + option).c_str());
  }

  void progressLinesAndTheTemporaryStore() {
    if (model_directory().empty()) QSKIP("no model here");
    const QString figure = "evicpress/fig7", store = folder_.filePath("short");
    std::filesystem::create_directories(store.toStdString() + "/figure-1999999999");  // of a process that there is not
    const Answer answer = call({"reproduce",
                                figure,
                                "--json",
                                "--workload",
                                folder_.filePath("workload"),
                                "--model",
                                QString::fromStdString(model_directory().string()),
                                "--store",
                                store,
                                "--db",
                                folder_.filePath("short.db"),
                                "--temporary-store",
                                "--progress",
                                "json",
                                "--methods",
                                "keydiff",
                                "--removed",
                                "0.6",
                                "--seeds",
                                "1",
                                "--limit",
                                "8",
                                "--policy",
                                "lru,full_prefill",
                                "--budgets",
                                "0.2"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    std::vector<std::string> runs;
    int cells = 0, cells_done = 0, stages = 0;
    for (const QString& line : answer.error_lines()) {
      if (line.startsWith("warning: ")) continue;  // for people, between them
      const auto json = parse_json(line.toStdString(), "line");
      QVERIFY2(json.has_value(), qPrintable(line));
      stages += json->contains("stage");
      if (!json->contains("cells")) continue;
      cells = json->at("cells").get<int>();
      const int done = json->at("cells_done").get<int>();
      QVERIFY(done >= cells_done && done <= cells);
      cells_done = done;
      if (json->contains("run")) runs.push_back(json->at("run").get<std::string>());
    }
    QCOMPARE(cells, 2);
    QCOMPARE(cells_done, 2);
    QVERIFY(stages > 0);
    const auto result = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY(result && result->size() == 1);
    QVERIFY(result->front().runs == runs);
    // Whoever repeats it has other folders and another database, and the model by its name.
    const bool ships = shipped_model_at(model_directory()) != nullptr;
    const QString model = ships ? QStringLiteral("default model") : QString::fromStdString(model_directory().string());
    const QString command = "kvantage-cli reproduce " + figure + " --workload '" + folder_.filePath("workload") +
                            "' --model '" + model +
                            "' --methods 'keydiff' --removed '0.6' --seeds '1' --limit '8' --policy "
                            "'lru,full_prefill' --budgets '0.2'";
    const auto printed = parse_json(answer.out.toStdString(), "stdout");
    QVERIFY2(printed && QString::fromStdString(printed->at("settings").at("command")) == command, answer.out.toUtf8());
    QVERIFY(QDir(store).entryList({"figure-*"}, QDir::Dirs).isEmpty());
    const Answer listed = call_forked({"runs", "list", "--db", folder_.filePath("short.db"), "--json"});
    for (const std::string& run : runs) QVERIFY2(listed.out.contains(QString::fromStdString(run)), run.c_str());
  }

  void refusals_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("part");
    QTest::newRow("budgets") << QStringList{"reproduce", "evicpress/fig7", "--budgets", "0.1,much"} << "'much'";
    QTest::newRow("alphas") << QStringList{"reproduce", "evicpress/fig8", "--rate", "0"} << "--rate";
    QTest::newRow("workload") << QStringList{"reproduce", "evicpress/fig3", "--workload", "nowhere"} << "nowhere";
    // Without a model: said before one is loaded.
    const auto unloaded = [](const char* figure, const QStringList& options, const QString& part) {
      QTest::newRow(qPrintable(QString(figure) + " " + options.join(' ')))
          << (QStringList{"reproduce", figure, "--model", "/nowhere"} << options) << part;
    };
    unloaded("evicpress/fig7", {"--alpha", "-1"}, "--alpha: '-1' is not a number above 0");
    unloaded("evicpress/fig8", {"--alpha", "0.3,x"}, "--alpha: 'x'");
    unloaded("evicpress/fig7", {"--policy", "lru,lru2"}, "'lru2'");
    unloaded("evicpress/fig9", {"--policy", "lru,fixed(nosuch,0.5)"}, "unknown method 'nosuch'");
    unloaded("evicpress/limits", {"--policy", "fixed(kivi4,0.5)"}, "write fixed(kivi4,0)");
    unloaded("adaptcache/fig2", {"--policy", ","}, "--policy: names none");
    unloaded("adaptcache/fig2", {"--quality-metric", "token_f1@cache"}, "unknown metric 'token_f1@cache'");
    unloaded("adaptcache/coding", {"--quality-metric", "code_blue"}, "unknown metric 'code_blue'");
    unloaded("evicpress/fig10", {"--methods", "knorm,nosuch"}, "unknown method 'nosuch'");
    unloaded("evicpress/fig5", {"--methods", "none"},
             "'none' removes no tokens, and figure evicpress/fig5 is about removed fractions; ");
    unloaded("evicpress/fig3", {"--methods", "kivi4"}, "'kivi4' removes no tokens");
    unloaded("evicpress/fig4", {"--methods", "knorm,kivi4"}, "'kivi4' removes no tokens");
    unloaded("evicpress/fig7", {"--budgets", "0.2,50"},
             "--budgets: 50 is more than all contexts take uncompressed; give shares of their bytes, e.g. 0.2");
    unloaded("adaptcache/fig2", {"--budgets", "20"}, "--budgets: 20 is more");
    unloaded("evicpress/fig5", {"--removed", "0.5,1"}, "--removed: 1 leaves no token");
    unloaded("kvpr/fig7", {"--context-tokens", "99999"},
             "--context-tokens: 99999 exceeds the maximum; give at most 16384");
    QTest::newRow("kvpr/fig12 --answer-tokens") << QStringList{"reproduce", "kvpr/fig12", "--answer-tokens", "5000"}
                                                << "--answer-tokens: 5000 exceeds the maximum; give at most 1024";
    QTest::newRow("kvpr/fig12 --budgets") << QStringList{"reproduce", "kvpr/fig12", "--budgets", "0.5"}
                                          << "figure kvpr/fig12 takes no --budgets; leave it out";
    unloaded("compaction/overheads", {"--eviction-methods", "nosuch"}, "unknown method 'nosuch'");
    QTest::newRow("evicpress/fig2 --budgets") << QStringList{"reproduce", "evicpress/fig2", "--budgets", "x"}
                                              << "figure evicpress/fig2 takes no --budgets; leave it out";
    unloaded("evicpress/fig10", {"--budgets", "0.2"}, "figure evicpress/fig10 takes no --budgets; leave it out");
    unloaded("evicpress/fig3", {"--seeds", "1"}, "figure evicpress/fig3 takes no --seeds; leave it out");
    unloaded("pagedeviction/fig2", {"--methods", "knorm"},
             "figure pagedeviction/fig2 takes no --methods; leave it out");
    unloaded("evicpress/fig8", {"--budgets", "0.1,0.2,0.3"},
             "figure evicpress/fig8 takes one value of --budgets, not 3; give one");
    unloaded("evicpress/paper-scale", {"--budgets", "0.1,0.4"},
             "figure evicpress/paper-scale takes one value of --budgets, not 2; give one");
    unloaded("evicpress/paper-scale", {"--budgets", "40"}, "--budgets: 40 is more than all contexts take");
    unloaded("adaptcache/fig1", {"--rate", "1,2"}, "figure adaptcache/fig2 takes one value of --rate, not 2; give one");
    unloaded("evicpress/fig3", {"--methods", "knorm,keydiff"},
             "figure evicpress/fig3 takes one value of --methods, not 2; give one");
    unloaded("evicpress/fig4", {"--removed", "0.5,0.6"},
             "figure evicpress/fig4 takes one value of --removed, not 2; give one");
    for (const char* figure : {"evicpress/fig2", "evicpress/examples", "kvpr/examples"}) {
      unloaded(figure, {}, QString(figure) + " takes no --model: it computes without a model; leave it out");
      QTest::newRow(qPrintable(QString(figure) + " --json")) << QStringList{"reproduce", figure, "--json"} << QString();
    }
  }
  void refusals() {
    QFETCH(QStringList, words);
    QFETCH(QString, part);
    const Answer answer = call_forked(words);
    if (part.isEmpty()) {
      QVERIFY2(answer.exit_code == 0, answer.text().constData());
      return;
    }
    QCOMPARE(answer.error_lines().size(), 1);
    QVERIFY2(answer.exit_code == 2 || answer.exit_code == 3, answer.text().constData());
    QVERIFY2(answer.text().contains(part.toUtf8()), answer.text().constData());
  }
};

KV_TEST_GUILESS_MAIN(ReproduceFiguresTest)

}  // namespace reproduce_figures_test

#include "reproduce_figures_test.moc"
