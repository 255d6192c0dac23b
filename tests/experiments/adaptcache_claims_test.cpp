// links: kv_experiments
// Which rule and which budget claims about AdaptCache are of.
#include <QtTest>

#include "core/experiments/load_figures.h"
#include "tests/experiments/load_outcomes.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace adaptcache_claims_test {

using namespace kvantage;
using test::loads::has_finding;
using test::loads::measured_of;
using test::loads::named;
using test::loads::on_code;
using test::loads::outcome;

class AdaptcacheClaimsTest : public QObject {
  Q_OBJECT
 private slots:
  // Rows have both readings of AdaptCache's utility; claims are about the one of the paper's text, whichever does
  // better.
  void claimsAreOfOneReading() {
    const std::vector<PolicyOutcome> of_text{outcome("fixed(kivi2,0)", 0, 0.3, 0.7, 1, 0),
                                             outcome("adaptcache(pool=paper)", 1, 0.15, 0.7, 1, 0)};
    std::vector<PolicyOutcome> of_both = of_text;
    of_both.push_back(outcome("adaptcache(utility=printed,pool=paper)", 1, 0.1, 0.7, 1, 0));
    const auto speed = [](const FigureResult& figure) {
      return test::verdict_of(figure, "adaptcache/delay-vs-static");
    };
    const FigureResult alone = figure_adaptcache(named("adaptcache/fig2"), of_text, "dram"),
                       both = figure_adaptcache(named("adaptcache/fig2"), of_both, "dram"),
                       printed = figure_adaptcache(named("adaptcache/fig2"), {of_both[0], of_both[2]}, "dram");
    QCOMPARE(both.tables.at(0).rows.size(), std::size_t{3});
    const auto& rows = both.tables.at(1).rows;
    QCOMPARE(rows.size(), std::size_t{2});
    QVERIFY(std::fabs(rows[0][1].get<double>() - 2) < 1e-12 && std::fabs(rows[1][1].get<double>() - 3) < 1e-12);
    QCOMPARE(rows[0][14].get<std::string>(), std::string("utility=described"));
    QCOMPARE(rows[1][14].get<std::string>(), std::string("utility=printed"));
    QCOMPARE(speed(alone), std::string("agrees"));  // 2 times; by the printed formula 3, where it has 1.43 - 2.4
    QCOMPARE(speed(both), speed(alone));
    QCOMPARE(speed(printed), std::string("not measured with these settings"));
    for (const FigureResult* figure : {&alone, &both, &printed})
      QVERIFY(std::ranges::any_of(figure->findings, [](const std::string& one) {
        return one.starts_with("claims are about utility=described: ");
      }));
    QVERIFY(std::ranges::any_of(both.time_findings, [](const std::string& one) {
      return one.starts_with("by the printed formula: against fixed(kivi...): 3 ");
    }));
  }
  // What ran under one budget is compared with what ran under the same one, and claims are of one of them.
  void adaptcacheUnderSeveralBudgets() {
    const auto under = [](double budget, std::vector<PolicyOutcome> outcomes) {
      for (PolicyOutcome& outcome : outcomes) outcome.budget_fraction = budget;
      return outcomes;
    };
    auto outcomes = under(0.05, {outcome("lru", 0, 0.4, 1, 1, 0), outcome("fixed(kivi2,0)", 0, 0.3, 0.7, 1, 0),
                                 outcome("adaptcache(pool=paper)", 1, 0.2, 0.7, 1, 0)});
    const auto more = under(0.1, {outcome("lru", 0, 0.2, 1, 1, 0), outcome("fixed(kivi2,0)", 0, 0.2, 0.7, 1, 0),
                                  outcome("adaptcache(pool=paper)", 1, 0.1, 0.7, 1, 0)});
    outcomes.insert(outcomes.end(), more.begin(), more.end());
    const FigureResult figure = figure_adaptcache(named("adaptcache/fig2"), outcomes, "dram");
    const auto& rows = figure.tables.at(1).rows;  // KIVI and lru, under each
    QCOMPARE(rows.size(), 4UL);
    for (const auto& [row, speed, budget] : {std::tuple{0, 1.5, 5.0}, {1, 2.0, 5.0}, {2, 2.0, 10.0}, {3, 2.0, 10.0}}) {
      const auto& cells = rows.at(static_cast<std::size_t>(row));
      QVERIFY2(std::fabs(cells.at(1).get<double>() - speed) < 1e-12, cells.front().get<std::string>().c_str());
      QVERIFY(std::fabs(cells.back().get<double>() - budget) < 1e-12);
    }
    const FigureTable& hits = figure.tables.at(3);
    QCOMPARE(hits.rows.size(), 6UL);
    QVERIFY(hits.plot && hits.plot->kind == FigurePlot::Kind::lines);
    QVERIFY(hits.plot->published.empty());  // the paper's are of code
    QVERIFY(std::ranges::any_of(figure.time_findings, [](const std::string& one) {
      return one.starts_with("at 5 % of the bytes: against fixed(kivi...): 1.5 ");
    }));
    QCOMPARE(test::verdict_of(figure, "adaptcache/delay-vs-static"), std::string("agrees"));  // 2, of the upper one
    QCOMPARE(measured_of(figure, "delay-vs-static").low, 2.0);
    QCOMPARE(measured_of(figure, "delay-vs-static").high, 2.0);
    QVERIFY(has_finding(figure, "claims are measured at 10 % of the bytes"));
  }
  // Claims are about the preset's budget, whichever others ran, or else about the one in the middle.
  void adaptcacheClaimsAreOfOneBudget() {
    const auto at = [](const std::vector<double>& budgets) {
      std::vector<PolicyOutcome> outcomes;
      outcomes.reserve(3 * budgets.size());
      for (const double budget : budgets) {
        // As many times faster than KIVI as the budget has percent, and a hit of two below 7 %.
        outcomes.push_back(outcome("fixed(kivi2,0)", 0, 1, 0.7, 1, 0));
        outcomes.push_back(outcome("full_prefill", 0, 2, 0.7, 1, 0));
        outcomes.push_back(outcome("adaptcache(pool=paper)", 1, 1 / (100 * budget), 0.7, 1, 0));
        if (budget < 0.07) outcomes.back().samples.front().source = "ssd";
        for (std::size_t i = outcomes.size() - 3; i < outcomes.size(); ++i) outcomes[i].budget_fraction = budget;
      }
      return figure_adaptcache(named("adaptcache/fig2"), on_code(outcomes), "dram");
    };
    const auto near = [](const MeasuredSpan& span, double value) {
      return std::fabs(span.low - value) < 1e-9 && std::fabs(span.high - value) < 1e-9;
    };
    for (const auto& budgets : {std::vector{0.05, 0.07, 0.1}, {0.05, 0.06, 0.07, 0.08, 0.1}, {0.07, 0.2, 0.3}}) {
      const FigureResult figure = at(budgets);
      QVERIFY(near(measured_of(figure, "delay-vs-static"), 7));
      QVERIFY(near(measured_of(figure, "ttft-vs-all-baselines"), 7));
      QVERIFY(near(measured_of(figure, "ttft-vs-prefill-and-offloading"), 1 - 1 / 14.0));
      QVERIFY(near(measured_of(figure, "hit-rate-adaptcache"), 1));
      QVERIFY(has_finding(figure, "claims are measured at 7 % of the bytes"));
      QCOMPARE(figure.tables.at(0).rows.size(), 3 * budgets.size());  // the others are shown
    }
    const FigureResult without = at({0.05, 0.06, 0.08});
    QVERIFY(near(measured_of(without, "delay-vs-static"), 6));
    QVERIFY(near(measured_of(without, "hit-rate-adaptcache"), 0.5));
    QVERIFY(has_finding(without, "claims are measured at 6 % of the bytes"));
    const FigureResult one = at({0.2});
    QVERIFY(near(measured_of(one, "delay-vs-static"), 20));
    QVERIFY(!has_finding(one, "claims are measured at"));
  }
  // A pool or qualities that are not the paper's make a rule of its own: a row, and no claim.
  void adaptcacheByOtherRulesHasNoClaims() {
    const PolicyOutcome fixed = outcome("fixed(kivi2,0)", 0, 0.3, 0.7, 1, 0),
                        papers = outcome("adaptcache(pool=paper)", 1, 0.15, 0.7, 1, 0);
    for (const auto& [policy, rule] : {std::pair{"adaptcache", "utility=described, pool=session"},
                                       {"adaptcache(pool=session)", "utility=described, pool=session"},
                                       {"adaptcache(pool=paper,quality=context)", "utility=described, quality=context"},
                                       {"adaptcache(utility=printed)", "utility=printed, pool=session"}}) {
      const PolicyOutcome other = outcome(policy, 1, 0.1, 0.7, 1, 0);
      const FigureResult alone = figure_adaptcache(named("adaptcache/fig2"), {fixed, other}, "dram"),
                         both = figure_adaptcache(named("adaptcache/fig2"), {fixed, papers, other}, "dram");
      QVERIFY2(alone.measured.empty(), policy);
      QVERIFY(has_finding(alone, "the paper's rule was not run, which is adaptcache(pool=paper): "));
      QCOMPARE(alone.tables.at(1).rows.size(), std::size_t{1});
      QVERIFY(!has_finding(both, "the paper's rule was not run"));
      QVERIFY(std::fabs(measured_of(both, "delay-vs-static").high - 2) < 1e-12);
      const auto& rows = both.tables.at(1).rows;
      QCOMPARE(rows.size(), std::size_t{2});
      QCOMPARE(rows[0][14].get<std::string>(), std::string("utility=described"));
      QCOMPARE(rows[1][14].get<std::string>(), std::string(rule));
      QVERIFY(std::fabs(rows[1][1].get<double>() - 3) < 1e-12);
      QVERIFY(std::ranges::any_of(both.time_findings, [rule = std::string(rule)](const std::string& one) {
        return one.starts_with("by the rule " + rule + ": against fixed(kivi...): 3 ");
      }));
    }
    const FigureResult spelled = figure_adaptcache(
        named("adaptcache/fig2"),
        {fixed, outcome("adaptcache(utility=described,quality=dataset,pool=paper)", 1, 0.15, 0.7, 1, 0)}, "dram");
    QVERIFY(std::fabs(measured_of(spelled, "delay-vs-static").high - 2) < 1e-12);
  }
};

KV_TEST_GUILESS_MAIN(AdaptcacheClaimsTest)

}  // namespace adaptcache_claims_test

#include "adaptcache_claims_test.moc"
