// links: kv_reports
// Every figure that is listed is made by the command, on a workload of four short contexts with the real model: it ends
// well, its tables are whole, and it says what it found.
#include <QtTest>

#include "core/base/json.h"
#include "core/experiments/paper_figures.h"
#include "core/report/figure.h"
#include "tests/support/command_line.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace every_figure_test {

using namespace kvantage;
using namespace kvantage::test;

class EveryFigureTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QStringList of_curves() const {
    return {"--workload", folder_.filePath("workload"), "--store", folder_.filePath("store")};
  }
  QStringList of_contexts() const {
    return of_curves() << "--seeds"
                       << "1"
                       << "--limit"
                       << "4";
  }
  /// The workload's candidates, not the figure's many.
  static QStringList few_forms() { return {"--methods", "keydiff,kivi4", "--removed", "0.6"}; }

  /// Of an answer that is one figure; else an empty one.
  FigureResult made(QStringList words) {
    words << "--json"
          << "--model" << QString::fromStdString(model_directory().string());
    const Answer answer = call(words);
    if (answer.exit_code != 0) qWarning("%s", answer.text().constData());
    const auto results = answer.exit_code == 0 ? figure_results_of(answer.out.toStdString(), "out")
                                               : fail(ErrorCode::internal, "it failed");
    return results && results->size() == 1 ? results->front() : FigureResult{};
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model here");
    const Answer answer = call({"workload",
                                "make",
                                "--out",
                                folder_.filePath("workload"),
                                "--name",
                                "four",
                                "--seed",
                                "3",
                                "--families",
                                "registry,news",
                                "--contexts-per-family",
                                "2",
                                "--min-tokens",
                                "200",
                                "--max-tokens",
                                "320",
                                "--profile-questions",
                                "2",
                                "--held-out-questions",
                                "2",
                                "--requests",
                                "16",
                                "--tier",
                                "dram=200KiB,bandwidth=540MB/s,latency=0.2ms",
                                "--tier",
                                "ssd=400KiB,bandwidth=180MB/s,latency=1ms",
                                "--policy",
                                "evicpress",
                                "--methods",
                                "keydiff,kivi4",
                                "--removed",
                                "0.6"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
  }

  void isMade_data() {
    QTest::addColumn<QStringList>("words");
    const QStringList decode{"--contexts",      "1",  "--context-tokens",   "200",
                             "--answer-tokens", "24", "--budgets",          "0.5",
                             "--page-tokens",   "16", "--eviction-methods", "streaming_llm,knorm"};
    const std::map<std::string, QStringList> own{
        {"evicpress/fig2", {}},
        {"evicpress/fig3", of_curves() << "--methods"
                                       << "keydiff"
                                       << "--removed"
                                       << "0.6"},
        {"evicpress/fig4", of_curves() << "--methods"
                                       << "keydiff,knorm"
                                       << "--removed"
                                       << "0.6"},
        {"evicpress/fig5", of_curves() << "--methods"
                                       << "keydiff"
                                       << "--removed"
                                       << "0.3,0.6"},
        {"evicpress/fig8", of_contexts() << few_forms() << "--rate"
                                         << "20"
                                         << "--policy"
                                         << "lru,evicpress"
                                         << "--alpha"
                                         << "0.3"},
        {"evicpress/fig10", of_contexts() << "--rate"
                                          << "20"
                                          << "--alpha"
                                          << "0.3"},
        {"evicpress/limits",
         {"--workload", folder_.filePath("workload"), "--store", folder_.filePath("store"), "--seeds", "1", "--limit",
          "2", "--policy", "lru"}},
        {"adaptcache/fig2", of_contexts() << "--rate"
                                          << "20"
                                          << "--policy"
                                          << "lru,fixed(kivi4,0),adaptcache"
                                          << "--methods"
                                          << "kivi4,streaming_llm"
                                          << "--removed"
                                          << "0.5"
                                          << "--alpha"
                                          << "0.3"},
        {"pagedeviction/throughput",
         {"--width", "256", "--context-tokens", "64", "--answer-tokens", "32", "--budgets", "32,64", "--contexts", "3",
          "--max-batch", "2", "--eviction-methods", "paged_eviction,knorm"}},
        {"compaction/long-decode",
         {"--width", "256", "--context-tokens", "64", "--answer-tokens", "64", "--budgets", "32", "--eviction-methods",
          "paged_eviction,knorm"}},
        {"compaction/overheads", {"--context-tokens", "200", "--eviction-methods", "knorm,snapkv"}},
        {"compaction/compaction", decode},
        {"decode", decode},
        {"kvpr/table1", {"--context-tokens", "128", "--answer-tokens", "8"}},
        {"kvpr/fig7", {"--width", "256", "--context-tokens", "256", "--answer-tokens", "8"}},
        {"kvpr/fig10", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8"}},
        {"kvpr/table2", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8"}},
        {"kvpr/table5", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8", "--max-batch", "2"}},
        {"kvpr/fig3", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8"}},
        {"kvpr/fig6", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8", "--max-batch", "3"}},
        {"kvpr/fig13", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8", "--max-batch", "2"}},
        {"kvpr/fig9", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8"}},
        {"kvpr/fig12", {"--width", "256", "--context-tokens", "192", "--answer-tokens", "8"}},
        {"kvpr/context-load", {"--width", "256", "--context-tokens", "192"}}};
    for (const PaperFigure& figure : paper_figures()) {
      const auto found = own.find(figure.name);
      QStringList words = found != own.end() ? found->second
                          : figure.name.starts_with("pagedeviction/")
                              ? decode
                              : of_contexts() << "--policy"
                                              << "full_prefill,lru,fixed(keydiff,0.6),evicpress"
                                              << "--alpha"
                                              << "0.3"
                                              << "--budgets"
                                              << "0.5";
      QTest::newRow(figure.name.c_str()) << (QStringList{"reproduce", QString::fromStdString(figure.name)} << words);
    }
  }
  void isMade() {
    QFETCH(QStringList, words);
    if (words.at(1).startsWith("kvpr/") && words.at(1) != "kvpr/table1" && !test::layer_inputs_are_short())
      QSKIP(test::no_short_inputs);
    words << "--json";
    if (!find_paper_figure(words.at(1).toStdString())->random_weights)
      words << "--model" << QString::fromStdString(model_directory().string());
    if (words.at(1) == "evicpress/fig2") words = {"reproduce", "evicpress/fig2", "--json"};
    const Answer answer = call(words);
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const auto results = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY2(results.has_value() && !results->empty(),
             results.has_value() ? "no result" : results.error().message.c_str());
    if (words.at(1) != "evicpress/runs")
      QVERIFY(results->size() == 1 && results->front().figure == words.at(1).toStdString());
    for (const FigureResult& result : *results) {
      QVERIFY(!result.tables.empty() && !result.tables.front().rows.empty());
      for (const FigureTable& table : result.tables)
        for (const auto& row : table.rows) QVERIFY2(row.size() == table.columns.size(), table.title.c_str());
      QVERIFY(!result.paper.empty() && !result.settings.empty());
    }
  }

  void runsAreOneArray() {
    const Answer answer = call(QStringList{"reproduce", "evicpress/runs", "--json", "--model",
                                           QString::fromStdString(model_directory().string())}
                               << of_contexts() << "--policy"
                               << "lru,fixed(keydiff,0.6),evicpress"
                               << "--alpha"
                               << "0.3"
                               << "--budgets"
                               << "0.5");
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const auto json = parse_json(answer.out.toStdString(), "out");
    QVERIFY2(json.has_value() && json->is_array(), answer.text().constData());
    QStringList names;
    for (const Json& one : *json) names << QString::fromStdString(one.at("figure").get<std::string>());
    QCOMPARE(names, (QStringList{"evicpress/fig7", "evicpress/fig12", "evicpress/fig9", "evicpress/fig11"}));
  }

  // Without room below the first tier everything is in it or nowhere.
  void allOfItInTheFirstTier() {
    const FigureResult figure =
        made({"reproduce", "evicpress/limits", "--workload", folder_.filePath("workload"), "--store",
              folder_.filePath("store"), "--seeds", "1", "--limit", "2", "--policy", "lru"});
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{5});
    QCOMPARE(figure.tables.at(0).rows.at(2).at(0).get<std::string>(), std::string("abundant DRAM"));
    for (const auto& row : figure.tables.at(0).rows) QCOMPARE(row.back().get<int>(), 2);
  }

  void ratesTellWhereTheTimeWent() {
    const FigureResult figure =
        made(QStringList{"reproduce", "evicpress/fig8"} << of_contexts() << few_forms() << "--rate"
                                                        << "20"
                                                        << "--policy"
                                                        << "full_prefill,lru");
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{3});  // the unloaded run, too
    const double unloaded = figure.settings.at("unloaded inter-token latency s").get<double>();
    QVERIFY(unloaded > 0 &&
            std::fabs(figure.settings.at("mean inter-token latency bound s").get<double>() - 2 * unloaded) < 1e-12);
    const FigureTable& costs = figure.tables.at(3);
    QVERIFY(!costs.rows.empty());
    for (const auto& row : costs.rows) {
      double parts = 0;
      for (std::size_t c = 5; c < 10; ++c) parts += row.at(c).get<double>();
      QVERIFY2(std::fabs(parts - 100) < 1e-6, qPrintable(QString::number(parts)));
      QVERIFY(row.at(4).get<double>() > 0 && row.at(4).get<double>() < 101);
      if (row.front() == "full_prefill")
        QCOMPARE(row.at(11).get<int>(), 4);  // each of its requests computes its context
    }
    QVERIFY(!made(QStringList{"reproduce", "evicpress/fig8"} << of_contexts() << few_forms() << "--rate"
                                                             << "20"
                                                             << "--policy"
                                                             << "lru"
                                                             << "--itl-bound"
                                                             << "0.5")
                 .settings.contains("unloaded inter-token latency s"));
  }

  // The other name of a figure that the same tables hold.
  void adaptcachesFirstFigureIsInItsSecond() {
    const FigureResult figure = made(QStringList{"reproduce", "adaptcache/fig1"} << of_contexts() << "--rate"
                                                                                 << "20"
                                                                                 << "--policy"
                                                                                 << "lru"
                                                                                 << "--methods"
                                                                                 << "kivi4"
                                                                                 << "--removed"
                                                                                 << "0.5");
    QCOMPARE(figure.figure, std::string("adaptcache/fig2"));
  }
};

KV_TEST_GUILESS_MAIN(EveryFigureTest)

}  // namespace every_figure_test

#include "every_figure_test.moc"
