// links: kv_experiments profiles kv_cli_program
// Figures on a workload in a paper's regime: its budgets, alphas and pool on the real model, what is recorded of them,
// and that no claim gets a verdict where a session is out of the regime.
#include <QtTest>

#include "core/base/json.h"
#include "core/experiments/claims.h"
#include "core/report/figure.h"
#include "core/text/code/code_bleu.h"
#include "core/workload/regimes/regimes.h"
#include "profiles/stores.h"
#include "tests/support/made_figure.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace regime_figures_test {

using namespace kvantage;
using namespace kvantage::test;

class RegimeFiguresTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  FigureResult made(const QStringList& words) {
    return made_figure(
        words + QStringList{"--seeds", "1", "--limit", "4", "--db", database(), "--store", folder_.filePath("store")});
  }
  QString database() const { return folder_.filePath("runs.db"); }
  QString workload(const char* name) const { return folder_.filePath(name); }

  static const FigureTable& table_of(const FigureResult& result, const std::string& begin) {
    static const FigureTable none{};
    const auto found =
        std::ranges::find_if(result.tables, [&](const FigureTable& table) { return table.title.starts_with(begin); });
    return found == result.tables.end() ? none : *found;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model here");
    for (const char* name : {"evicpress-regime", "adaptcache-regime"}) {
      const Answer answer =
          call_forked(QStringList{"workload", "make", "--preset", name, "--out", workload(name)} + few_contexts("2"));
      QVERIFY2(answer.exit_code == 0, answer.text().constData());
    }
  }

  void policiesAreComparedInThePapersRegime() {
    const FigureResult result = made({"evicpress/fig7", "--workload", workload("evicpress-regime"), "--budgets", "0.08",
                                      "--methods", "keydiff,kivi4", "--removed", "0.6", "--policy", "lru,evicpress"});
    QCOMPARE(result.settings.at("regime").get<std::string>(), std::string("evicpress-regime"));
    const Regime& regime = *find_regime("evicpress-regime").value();
    // A run of lru, and one of evicpress for each of the regime's alphas.
    const auto& points = result.tables.at(0).rows;
    QCOMPARE(points.size(), 1 + regime.alpha_factors.size());
    const double first = points.at(1).at(2).get<double>();
    for (std::size_t i = 0; i < regime.alpha_factors.size(); ++i)
      QVERIFY(std::abs(points.at(i + 1).at(2).get<double>() / first -
                       regime.alpha_factors[i] / regime.alpha_factors[0]) < 1e-6);
    // Budgets are exact whatever the machine does; loads are what it measured.
    const auto& rows = table_of(result, "Regime evicpress-regime").rows;
    QCOMPARE(rows.size(), std::size_t{6});
    QCOMPARE(rows[0].at(0).get<std::string>(), std::string("budget in % of KV, dram"));
    QCOMPARE(rows[0].at(1).get<double>(), 8.0);
    QVERIFY(std::abs(rows[0].at(2).get<double>() - 8) < 0.01);
    QVERIFY(std::abs(rows[1].at(2).get<double>() - 80) < 0.01);
    QCOMPARE(rows[2].at(2).get<std::string>(), std::string("unlimited"));
    QCOMPARE(rows[5].at(1).get<double>(), 4.75);
    // They are those of the recorded runs, and so is the pool: without codecs.
    const auto stores = open_stores(database().toStdString(), StoreAccess::read_only, machine_clock());
    QVERIFY(stores.has_value());
    const auto runs = (*stores)->runs().runs();
    // Three taught the bandwidths, and a cell that something else disturbed is measured again; the figure names the
    // runs that count.
    QCOMPARE(result.runs.size(), points.size());
    QCOMPARE(runs->size(), 3 + points.size() + result.settings.value("cells measured again", std::size_t{0}));
    for (const auto& run : *runs) {
      const Json& settings = run.settings.at("settings");
      QCOMPARE(settings.at("methods"), Json::parse(R"(["keydiff"])"));
      QCOMPARE(settings.at("tiers").at(1).at("budget_bytes").get<std::uint64_t>() /
                   settings.at("tiers").at(0).at("budget_bytes").get<std::uint64_t>(),
               std::uint64_t{10});
    }
  }

  void outOfTheRegimeThereIsNoVerdict() {
    const FigureResult result = made({"evicpress/fig7", "--workload", workload("evicpress-regime"), "--budgets", "0.5",
                                      "--methods", "keydiff", "--removed", "0.6", "--policy",
                                      "full_prefill,lru,fixed(keydiff,0.6),evicpress(quality=raw)", "--alpha", "0.3"});
    const auto& claims = table_of(result, claims_title).rows;
    QVERIFY(!claims.empty());
    int withheld = 0;
    for (const auto& row : claims) {
      const auto verdict = row.back().get<std::string>();
      QVERIFY2(verdict.starts_with("withheld") || verdict.starts_with("not measured"), verdict.c_str());
      withheld += verdict.starts_with("withheld") ? 1 : 0;
    }
    QVERIFY(withheld > 0);
    QVERIFY2(result.findings.back().find("no verdict: budget in % of KV, dram is 50, 354.5 % off the regime's 11") !=
                 std::string::npos,
             result.findings.back().c_str());
  }

  void anotherPapersRegimeIsNone() {
    const FigureResult result =
        made({"evicpress/fig7", "--workload", workload("adaptcache-regime"), "--budgets", "0.5", "--methods", "keydiff",
              "--removed", "0.6", "--policy", "lru,fixed(keydiff,0.6),evicpress(quality=raw)", "--alpha", "0.3"});
    QVERIFY(!result.settings.contains("regime"));
    QVERIFY2(result.findings.back().ends_with("the workload is not in the paper's regime"),
             result.findings.back().c_str());
  }

  void adaptCacheHasItsOwn() {
    const FigureResult result =
        made({"adaptcache/fig2", "--workload", workload("adaptcache-regime"), "--budgets", "0.05,0.1", "--methods",
              "kivi4,streaming_llm", "--removed", "0.5143", "--policy", "lru,adaptcache(pool=paper)"});
    QCOMPARE(result.settings.at("regime").get<std::string>(), std::string("adaptcache-regime"));
    QCOMPARE(result.settings.at("quality metric").get<std::string>(), std::string("by_task"));
    QVERIFY(table_of(result, "By task").rows.empty());  // of questions with short answers alone
    // DRAM and SSD under each budget; both loads are the same ones under either.
    const auto& rows = table_of(result, "Regime adaptcache-regime").rows;
    std::vector<double> budgets;
    for (const auto& row : rows)
      if (row.at(0).get<std::string>().find("budget") != std::string::npos) budgets.push_back(row.at(2).get<double>());
    std::ranges::sort(budgets);
    QCOMPARE(budgets.size(), std::size_t{4});
    for (const auto& [i, percent] : {std::pair{0, 5.0}, {1, 10.0}, {2, 20.0}, {3, 40.0}})
      QVERIFY2(std::abs(budgets.at(static_cast<std::size_t>(i)) - percent) < 0.01,
               std::to_string(budgets.at(static_cast<std::size_t>(i))).c_str());
    QCOMPARE(result.tables.at(0).rows.size(), 2 * (1 + find_regime("adaptcache-regime").value()->alpha_factors.size()));
    QCOMPARE(table_of(result, "Hits of the fast tier").rows.size(), result.tables.at(0).rows.size());
  }

  // The coding task is in the same regime, by its own metric: both of its claims are measured.
  void theCodingTaskIsInItToo() {
    if (const Status parser = code_parser_is_there(); !parser) QSKIP(parser.error().message.c_str());
    const Answer answer = call_forked({"workload", "make", "--preset", "adaptcache-regime-code", "--out",
                                       workload("adaptcache-regime-code"), "--contexts-per-family", "2", "--min-tokens",
                                       "400", "--max-tokens", "600", "--profile-questions", "2", "--held-out-questions",
                                       "2", "--requests", "16"});
    QVERIFY2(answer.exit_code == 0, answer.text().constData());
    const FigureResult result =
        made({"adaptcache/coding", "--workload", workload("adaptcache-regime-code"), "--budgets", "0.07", "--methods",
              "kivi2", "--policy", "lru,fixed(kivi2,0),adaptcache(pool=paper)"});
    QCOMPARE(result.figure, std::string("adaptcache/coding"));
    QCOMPARE(result.settings.at("regime").get<std::string>(), std::string("adaptcache-regime"));
    QCOMPARE(result.settings.at("quality metric").get<std::string>(), std::string("code_bleu"));
    const auto& claims = table_of(result, claims_title).rows;
    QCOMPARE(claims.size(), std::size_t{2});
    for (const auto& row : claims) {
      QVERIFY(row.front().get<std::string>().starts_with("adaptcache/hit-rate-"));
      QVERIFY2(row.back() != "not measured with these settings", row.front().get<std::string>().c_str());
    }
  }
};

KV_TEST_MAIN(RegimeFiguresTest)

}  // namespace regime_figures_test

#include "regime_figures_test.moc"
