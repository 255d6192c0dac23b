// links: kv_experiments
// Hits of the fast and of the slow tier beside quality, and the claims about them.
#include <QtTest>

#include "core/experiments/policy_figures.h"
#include "tests/experiments/policy_outcomes.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace hits_figure_test {

using namespace kvantage;
using test::policies::measured;
using test::policies::named;
using test::policies::outcome;
using test::policies::outcomes;
using test::policies::read_by_need;
using test::policies::says;
using test::policies::served_by;

class HitsFigureTest : public QObject {
  Q_OBJECT
 private slots:
  void hitsBesideQuality() {
    const FigureResult figure = figure_hits(named("evicpress/fig9"), outcomes(), {"dram", "ssd"});
    QCOMPARE(figure.tables.size(), std::size_t{3});  // a chart for each tier, then the numbers
    QVERIFY(std::fabs(figure.tables.at(2).rows.at(2).at(9).get<double>() - 100) < 1e-9);
    QVERIFY(!figure.tables[2].plot);
    for (const auto& [t, tier] : {std::pair{std::size_t{0}, "dram"}, {std::size_t{1}, "ssd"}}) {
      const FigureTable& served = figure.tables.at(t);
      QVERIFY2(served.title.find(tier) != std::string::npos, served.title.c_str());
      QVERIFY(served.plot && served.plot->kind == FigurePlot::Kind::scatter && served.plot->x == "requests served %");
      QCOMPARE(served.rows.size(), outcomes().size());
      QCOMPARE(served.rows.at(2).at(3).get<double>(), t == 0 ? 0.0 : 100.0);  // fixed(keydiff,0.5) is on the SSD
      QCOMPARE(served.rows.at(2).at(6).get<double>(), 0.8);
      QCOMPARE(served.rows.at(3).at(3).get<double>(), t == 0 ? 100.0 : 0.0);
      // All of two contexts, or none: Wilson's intervals.
      QVERIFY(std::fabs(served.rows.at(3).at(4).get<double>() - (t == 0 ? 34.238022750665303 : 0)) < 1e-9);
      QVERIFY(std::fabs(served.rows.at(3).at(5).get<double>() - (t == 0 ? 100 : 65.76197724933469)) < 1e-9);
    }
    QVERIFY2(figure.findings.at(0).find("2 of 2 points") != std::string::npos, figure.findings[0].c_str());
    for (const FigureTable& table : figure.tables)
      for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
    // A fixed policy that hits the fast tier as often leaves nothing to be ahead of.
    const FigureResult even = figure_hits(
        named("evicpress/fig9"), {outcome("fixed(x,0.5)", 0, 0.1, 1), outcome("evicpress(quality=raw)", 1, 0.1, 1)},
        {"dram", "ssd"});
    QVERIFY2(even.findings.at(0).find("0 of 1 points") != std::string::npos, even.findings[0].c_str());
    QCOMPARE(test::verdict_of(even, "evicpress/hits-fast-tier"), std::string("agrees"));  // as often: at least 1
    QCOMPARE(test::verdict_of(even, "evicpress/hits-slow-tier"), std::string("not measured with these settings"));
    // Half as often, and every context of the slow tier by us.
    const FigureResult fewer = figure_hits(
        named("evicpress/fig9"),
        {outcome("fixed(x,0.5)", 0, 0.1, 1), outcome("evicpress(quality=raw)", 1, 0.1, 1, "ssd")}, {"dram", "ssd"});
    QCOMPARE(test::verdict_of(fewer, "evicpress/hits-fast-tier"), std::string("contradicts: smaller"));
  }
  // The claim is about the SSD: what comes from the remote tier below it is neither.
  void theSlowTierOfHitsIsTheSecond() {
    const FigureResult figure = figure_hits(
        named("evicpress/fig9"),
        {served_by("fixed(x,0.5)", 0.05, "dram", "ssd"), served_by("evicpress(quality=raw)", 0.05, "dram", "remote")},
        {"dram", "ssd", "remote"});
    QCOMPARE(measured(figure, "hits-slow-tier")->low, -0.5);
    QCOMPARE(measured(figure, "hits-slow-tier")->high, -0.5);
    QCOMPARE(test::verdict_of(figure, "evicpress/hits-slow-tier"), std::string("agrees"));
    QCOMPARE(measured(figure, "hits-fast-tier")->low, 0.0);
    const FigureResult more = figure_hits(
        named("evicpress/fig9"),
        {served_by("fixed(x,0.5)", 0.05, "dram", "dram"), served_by("evicpress(quality=raw)", 0.05, "ssd", "ssd")},
        {"dram", "ssd", "remote"});
    QCOMPARE(test::verdict_of(more, "evicpress/hits-slow-tier"), std::string("contradicts: larger"));
    const FigureResult alone = figure_hits(
        named("evicpress/fig9"),
        {served_by("fixed(x,0.5)", 0.05, "dram", "dram"), served_by("evicpress(quality=raw)", 0.05, "dram", "dram")},
        {"dram"});
    QVERIFY(measured(alone, "hits-fast-tier") && !measured(alone, "hits-slow-tier"));
  }
  // Hits beside none are the clearest case of more hits.
  void aBaselineWithoutHitsCounts() {
    const FigureResult figure = figure_hits(
        named("evicpress/fig9"),
        {served_by("fixed(x,0.5)", 0.05, "ssd", "ssd"), served_by("evicpress(quality=raw)", 0.05, "dram", "dram")},
        {"dram", "ssd"});
    QCOMPARE(measured(figure, "hits-fast-tier")->low, 1.0);
    QCOMPARE(measured(figure, "hits-slow-tier")->high, -1.0);
    QCOMPARE(test::verdict_of(figure, "evicpress/hits-fast-tier"), std::string("agrees"));
    QCOMPARE(test::verdict_of(figure, "evicpress/hits-slow-tier"), std::string("agrees"));
  }
  // impress is a baseline of the claim, and what it reads from copies comes from the fastest tier.
  void copiesOfImpressAreHitsOfTheFastTier() {
    const auto figure = [](double copies) {
      return figure_hits(
          named("evicpress/fig9"),
          {served_by("fixed(x,0.5)", 0.05, "dram", "ssd"),
           read_by_need(served_by("impress(kept=0.2)", 0.05, "ssd", "ssd"), {0.5, copies}, {0.5, copies}),
           served_by("evicpress(quality=raw)", 0.05, "dram", "dram")},
          {"dram", "ssd"});
    };
    const FigureResult ahead = figure(0.75);
    QCOMPARE(measured(ahead, "hits-fast-tier")->low, 0.25);  // 0.5 beside the fixed policy
    QCOMPARE(measured(ahead, "hits-slow-tier")->low, -0.25);
    QCOMPARE(measured(figure(0.25), "hits-fast-tier")->low, 0.5);
    QCOMPARE(ahead.tables.at(0).rows.at(1).at(3).get<double>(), 75.0);
    QCOMPARE(ahead.tables.at(1).rows.at(1).at(3).get<double>(), 25.0);
    QCOMPARE(ahead.tables.at(2).rows.at(1).at(6).get<double>(), 75.0);
    QVERIFY(says(ahead,
                 "at 5 % of the bytes 1 of 1 points of evicpress hit dram more often than any fixed policy and impress "
                 "of their quality"));
    const FigureResult behind =
        figure_hits(named("evicpress/fig9"),
                    {read_by_need(served_by("impress(kept=0.2)", 0.05, "ssd", "ssd"), {0.5, 1}, {0.5, 1}),
                     served_by("evicpress(quality=raw)", 0.05, "ssd", "ssd")},
                    {"dram", "ssd"});
    QCOMPARE(test::verdict_of(behind, "evicpress/hits-fast-tier"), std::string("contradicts: smaller"));
  }
  void hitsAreClaimedUnderThePapersBudget() {
    const auto ours = [](double budget, bool is_ahead) {
      return served_by("evicpress(quality=raw)", budget, is_ahead ? "dram" : "ssd", is_ahead ? "dram" : "ssd");
    };
    const auto fixed = [](double budget) { return served_by("fixed(x,0.5)", budget, "dram", "ssd"); };
    const FigureResult figure =
        figure_hits(named("evicpress/fig9"),
                    {fixed(0.02), ours(0.02, false), fixed(0.05), ours(0.05, true), fixed(0.08), ours(0.08, false)},
                    {"dram", "ssd"});
    QCOMPARE(measured(figure, "hits-fast-tier")->low, 0.5);
    QCOMPARE(measured(figure, "hits-fast-tier")->high, 0.5);
    QVERIFY(says(figure, "claims are measured at 5 % of the bytes"));
    const FigureResult nearest = figure_hits(
        named("evicpress/fig9"), {fixed(0.02), ours(0.02, true), fixed(0.11), ours(0.11, false)}, {"dram", "ssd"});
    QCOMPARE(measured(nearest, "hits-fast-tier")->low, 0.5);
    QVERIFY(says(nearest, "claims are measured at 2 % of the bytes"));
    const FigureResult one = figure_hits(named("evicpress/fig9"), {fixed(0.02), ours(0.02, true)}, {"dram", "ssd"});
    QVERIFY(!says(one, "claims are measured at 2 % of the bytes"));  // there is no other
  }
};

KV_TEST_GUILESS_MAIN(HitsFigureTest)

}  // namespace hits_figure_test

#include "hits_figure_test.moc"
