// links: kv_experiments profiles kv_cli_program
// Every figure that is listed is made by the command, on a workload of four short contexts with the real model: it ends
// well, its tables are whole, and it says what it found.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/experiments/claims.h"
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/paper_figures.h"
#include "core/report/figure.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/made_figure.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace every_figure_test {

using namespace kvantage;
using namespace kvantage::test;

class EveryFigureTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString all_of_them() const { return folder_.filePath("all"); }
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

  /// What is a figure in its paper has a plot, and each plot names columns of its table.
  static void checkPlots(const FigureResult& result) {
    std::size_t plots = 0;
    for (const FigureTable& table : result.tables) {
      if (!table.plot) continue;
      ++plots;
      std::vector<std::string> names = table.plot->y;
      names.insert(names.end(), table.plot->by.begin(), table.plot->by.end());
      if (table.plot->kind != FigurePlot::Kind::spans) names.push_back(table.plot->x);  // the title of an axis there
      for (const std::string& name : names)
        QVERIFY2(std::ranges::find(table.columns, name) != table.columns.end(),
                 (result.figure + ", " + table.title + ": no column '" + name + "'").c_str());
    }
    if (result.figure.find("/fig") != std::string::npos) QVERIFY2(plots > 0, result.figure.c_str());
  }

  QString place_of(const std::string& figure) const {
    return all_of_them() + (figure.find('/') == std::string::npos ? "/other/" : "/") + QString::fromStdString(figure);
  }
  /// What the folder has of a figure; null where this processor makes none of it.
  Json made_of(const std::string& figure) const {
    const auto json = read_json_file((place_of(figure) + ".json").toStdString());
    if (!json) qFatal("%s: %s", figure.c_str(), json.error().message.c_str());
    const bool needs_short_inputs = figure.starts_with("kvpr/") && figure != "kvpr/table1" && figure != "kvpr/examples";
    if (needs_short_inputs && !test::layer_inputs_are_short()) return {};
    return *json;
  }

  /// Four minutes for all of them that are made here, without a second look at a machine that something else uses.
  void checkTheTime() const {
    std::vector<std::pair<double, std::string>> figures;
    double all = 0;
    for (const std::string& name : reproduced_figures()) {
      const Json json = made_of(name);
      if (json.is_null()) continue;
      figures.emplace_back(json.at("seconds").get<double>(), name);
      all += figures.back().first;
      for (const Json& one : json.at("results")) QVERIFY(!one.at("settings").contains("cells measured again"));
    }
    QVERIFY(figures.size() > 15);
    std::ranges::sort(figures, std::greater<>());
    QString slowest;
    for (std::size_t f = 0; f < 5; ++f)
      slowest += QString(" %1 %2 s").arg(figures.at(f).second.c_str()).arg(figures.at(f).first, 0, 'f', 1);
    QVERIFY2(all <= 240, qPrintable(QString("%1 s; the slowest:").arg(all) + slowest));
    qInfo("all figures took %.0f s; the slowest:%s", all, qPrintable(slowest));
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model here");
    const Answer answer = call_forked(
        QStringList{"workload", "make", "--out", folder_.filePath("workload"), "--name", "four", "--seed", "3"} +
        few_contexts("2") +
        QStringList{"--tier", "dram=200KiB,bandwidth=540MB/s,latency=0.2ms", "--tier",
                    "ssd=400KiB,bandwidth=180MB/s,latency=1ms", "--policy", "evicpress", "--methods", "keydiff,kivi4",
                    "--removed", "0.6"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
  }

  // All of them into one folder. It continues where it ended, so that a slow machine takes several calls.
  void allOfThemAreMadeOnce() {
    const QStringList words{"reproduce",
                            "all",
                            "--quick",
                            "--out",
                            all_of_them(),
                            "--model",
                            QString::fromStdString(model_directory().string())};
    Answer answer;
    for (int tries = 0; tries < 8 && !QFile::exists(all_of_them() + "/kvpr/context-load.json"); ++tries)
      answer = call(words);
    QVERIFY2(answer.exit_code == 0 || !test::layer_inputs_are_short(), answer.text().constData());
    checkTheTime();
    if (!test::layer_inputs_are_short()) return;  // figures of KVPR have no result there, and are tried again
    const Answer again = call(words);
    QVERIFY2(again.exit_code == 0, again.text().constData());
    QCOMPARE(again.out.trimmed(), all_of_them() + "/reproduce.md");  // and no figure
    const Answer other = call({"reproduce", "all", "--out", all_of_them()});
    QVERIFY2(other.exit_code == 3 && other.error.contains("kind of reproduction"), other.text().constData());
  }

  void isMade_data() {
    QTest::addColumn<QString>("figure");
    for (const std::string& name : reproduced_figures()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void isMade() {
    QFETCH(QString, figure);
    if (figure.startsWith("kvpr/") && figure != "kvpr/table1" && figure != "kvpr/examples" &&
        !test::layer_inputs_are_short())
      QSKIP(test::no_short_inputs);
    const QString place = place_of(figure.toStdString());
    const auto json = read_json_file((place + ".json").toStdString());
    QVERIFY2(json.has_value(), json ? "" : json.error().message.c_str());
    QVERIFY2(json->at("trouble") == "", json->at("trouble").get<std::string>().c_str());
    const auto results = figure_results_of(dump_json(json->at("results").front()), "out");
    QVERIFY2(results.has_value() && !results->empty(),
             results.has_value() ? "no result" : results.error().message.c_str());
    const std::size_t expected = figure == "evicpress/runs" ? 4 : 1;
    QCOMPARE(json->at("results").size(), expected);
    if (expected == 1) QCOMPARE(results->front().figure, figure.toStdString());
    QVERIFY(
        QString::fromStdString(json->at("command").get<std::string>()).startsWith("kvantage-cli reproduce " + figure));
    for (const Json& one : json->at("results")) {
      const auto result = figure_result_from_json(one, "out");
      QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
      QVERIFY(!result->tables.empty() && !result->tables.front().rows.empty());
      for (const FigureTable& table : result->tables)
        for (const auto& row : table.rows) QVERIFY2(row.size() == table.columns.size(), table.title.c_str());
      QVERIFY(!result->paper.empty() && !result->settings.empty());
      checkPlots(*result);
      const QString beside = QFileInfo(place).path() + "/" + QString::fromStdString(result->figure).section('/', -1);
      QVERIFY2(QFile::exists(beside + ".txt") && QFile::exists(beside + ".csv"), qPrintable(beside));
    }
  }

  // Each claim in scope has a row in the table of its figure, whatever these few samples say.
  void everyClaimHasARow() {
    const auto claims = read_claims(source_directory() / "resources" / "claims.json");
    QVERIFY(claims);
    std::set<std::string> settled, made;
    for (const std::string& name : reproduced_figures()) {
      const Json json = made_of(name);
      if (json.is_null()) continue;
      for (const Json& one : json.at("results")) {
        made.insert(one.at("figure").get<std::string>());
        for (const Json& table : one.at("tables"))
          if (table.at("title") == claims_title)
            for (const Json& row : table.at("rows")) settled.insert(row.front().get<std::string>());
      }
    }
    std::size_t checked = 0;
    for (const PaperClaim& claim : *claims) {
      if (claim.figure.empty() || (!made.contains(claim.figure) && !test::layer_inputs_are_short())) continue;
      QVERIFY2(settled.contains(claim.id), claim.id.c_str());
      ++checked;
    }
    QVERIFY2(checked > 100, qPrintable(QString::number(checked)));
  }

  // The share is one form of the rule, and the figure's default does not take its place.
  void aThresholdIsTheRuleOfARun() {
    const auto rule_of = [this](const QStringList& rule) -> std::string {
      const QString database = folder_.filePath("rules.db");
      const Answer answer = call_figure(QStringList{"evicpress/fig10", "--db", database}
                                        << of_contexts() << rule
                                        << QStringList{"--rate", "20", "--alpha", "0.3", "--model",
                                                       QString::fromStdString(model_directory().string())});
      if (answer.exit_code != 0) return answer.error.toStdString();
      const auto stores = open_stores(database.toStdString(), StoreAccess::read_only, machine_clock());
      return (*stores)->runs().runs().value().back().settings.at("settings").at("reprofile_when").get<std::string>();
    };
    QCOMPARE(rule_of({}), std::string("absolute(0.3)"));
    QCOMPARE(rule_of({"--reprofile-threshold", "0.15"}), std::string("relative(0.15)"));
    QCOMPARE(rule_of({"--reprofile-when", "below(0.7)"}), std::string("below(0.7)"));
    QVERIFY(rule_of({"--reprofile-when", "below(0.7)", "--reprofile-threshold", "0.15"}).find("--reprofile") !=
            std::string::npos);
  }

  void runsAreOneArray() {
    const Answer answer = call_figure(
        QStringList{"evicpress/runs", "--json", "--model", QString::fromStdString(model_directory().string())}
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
        made_figure({"evicpress/limits", "--workload", folder_.filePath("workload"), "--store",
                     folder_.filePath("store"), "--seeds", "1", "--limit", "2", "--policy", "lru"});
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{5});
    QCOMPARE(figure.tables.at(0).rows.at(2).at(0).get<std::string>(), std::string("abundant DRAM"));
    for (const auto& row : figure.tables.at(0).rows) QCOMPARE(row.back().get<int>(), 2);
    // Beside the regime, which it is not in: the ratios under each condition, of the unchanged tiers first.
    const auto beside =
        std::ranges::find(figure.tables, "Regime evicpress-regime, and the sessions beside it", &FigureTable::title);
    QVERIFY(beside != figure.tables.end());
    QCOMPARE(beside->rows.front().at(0).get<std::string>(), std::string("unchanged tiers"));
    std::set<std::string> conditions;
    for (const auto& row : beside->rows) conditions.insert(row.front().get<std::string>());
    QCOMPARE(conditions.size(), std::size_t{5});
  }

  void ratesTellWhereTheTimeWent() {
    const FigureResult figure = made_figure(QStringList{"evicpress/fig8"} << of_contexts() << few_forms() << "--rate"
                                                                          << "20"
                                                                          << "--policy"
                                                                          << "full_prefill,lru");
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{3});  // the unloaded run, too
    const double unloaded = figure.settings.at("unloaded inter-token latency s").get<double>();
    const double times = figure.settings.at("inter-token latency bound / unloaded").get<double>();
    QVERIFY(unloaded > 0 && times >= 2 && std::exp2(std::round(std::log2(times))) == times);  // doubled, or not
    QVERIFY(std::fabs(figure.settings.at("mean inter-token latency bound s").get<double>() / (times * unloaded) - 1) <
            1e-12);
    const double prefill = figure.settings.at("mean prefill s").get<double>();
    QVERIFY(prefill > 0);
    QCOMPARE(figure.settings.at("mean TTFT bound s").get<double>(), 2 * prefill);
    QCOMPARE(figure.settings.at("budgets").get<double>(), 0.2);  // outside of the regime
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
    QVERIFY(!made_figure(QStringList{"evicpress/fig8"} << of_contexts() << few_forms() << "--rate"
                                                       << "20"
                                                       << "--policy"
                                                       << "lru"
                                                       << "--itl-bound"
                                                       << "0.5")
                 .settings.contains("unloaded inter-token latency s"));
  }

  // The other name of a figure that the same tables hold.
  void adaptcachesFirstFigureIsInItsSecond() {
    const FigureResult figure = made_figure(QStringList{"adaptcache/fig1"} << of_contexts() << "--rate"
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
