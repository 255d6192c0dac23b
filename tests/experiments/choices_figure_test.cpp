// links: kv_experiments
// What a policy chooses for each tier, and the claims about it.
#include <QtTest>

#include "core/experiments/evicpress_rules.h"
#include "core/experiments/policy_figures.h"
#include "tests/experiments/policy_outcomes.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace choices_figure_test {

using namespace kvantage;
using test::policies::measured;
using test::policies::named;
using test::policies::says;

class ChoicesFigureTest : public QObject {
  Q_OBJECT
 private slots:
  void ourChoicesHaveNoVerdict() {
    const FigureResult figure = figure_choices(
        named("evicpress/fig11"), {{"dram", "snapkv", 0.5, "a", 0, 0.5}, {"ssd", "keydiff", 0.9, "c", 1, 0.1}},
        "evicpress(drop=best)", 1);
    QVERIFY(figure.measured.empty());
    QCOMPARE(figure.findings.back(), std::string(no_papers_rule));
  }
  void choicesByTier() {
    const FigureResult figure = figure_choices(
        named("evicpress/fig11"),
        {{"dram", "snapkv", 0.5, "a", 0, 0.5}, {"dram", "none", 0, "b", 0, 1}, {"ssd", "snapkv", 0.9, "c", 1, 0.1}},
        "evicpress(quality=raw)", 1);
    QCOMPARE(figure.tables.at(0).rows.size(), 3UL);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(2).get<double>() - 0.25) < 1e-12);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(1).at(2).get<double>() - 0.9) < 1e-12);
    QCOMPARE(figure.findings.at(0), std::string("3 configurations of 2 methods are in use"));
    QVERIFY2(figure.findings.at(1).ends_with("in 1 of 1 step from tier to tier"), figure.findings[1].c_str());
    const auto verdict = [](std::vector<ChosenForm> chosen, const char* claim) {
      return test::verdict_of(figure_choices(named("evicpress/fig11"), chosen, "evicpress(quality=raw)", 1),
                              std::string("evicpress/") + claim);
    };
    const std::vector<ChosenForm> more_in_dram{{"dram", "snapkv", 0.9, "a", 0, 0.1},
                                               {"dram", "snapkv", 0.9, "b", 0, 0.1},
                                               {"ssd", "keydiff", 0.5, "c", 1, 0.5},
                                               {"ssd", "snapkv", 0.5, "d", 1, 0.5}};
    QCOMPARE(verdict(more_in_dram, "slower-tier-more-compressed"), std::string("contradicts: smaller"));
    // One of four, [0, 0.75]: the interval must narrow by half to end below 0.5.
    QCOMPARE(verdict(more_in_dram, "keydiff-chosen-more-often"),
             std::string("cannot tell at this n: n 4, about 33 needed"));
    // One method alone has an interval, too: of two contexts it says little.
    const std::vector<ChosenForm> two{{"dram", "keydiff", 0.5, "a", 0, 0.5}, {"dram", "keydiff", 0.5, "b", 0, 0.5}};
    QCOMPARE(verdict(two, "keydiff-chosen-more-often"), std::string("cannot tell at this n: n 2, about 8 needed"));
    std::vector<ChosenForm> many;
    for (int i = 0; i < 30; ++i)
      many.push_back({i % 2 == 0 ? "dram" : "ssd", "keydiff+kivi4", 0.5, std::to_string(i),
                      static_cast<std::size_t>(i % 2), i % 2 == 0 ? 0.5 : 0.1});
    QCOMPARE(verdict(many, "slower-tier-more-compressed"), std::string("agrees"));
    QCOMPARE(verdict(many, "keydiff-chosen-more-often"), std::string("agrees"));
  }
  // The paper compares its disk with its CPU; what is on the remote tier says nothing about it.
  void choicesCompareTheSecondTierWithTheFirst() {
    std::vector<ChosenForm> chosen;
    for (const char* context : {"a", "b", "c"}) {
      chosen.push_back({"dram", "knorm", 0.5, context, 0, 0.5});
      chosen.push_back({"ssd", "knorm", 0.2, context, 1, 0.8});
      chosen.push_back({"remote", "knorm", 0.9, context, 2, 0.1});
    }
    const FigureResult figure = figure_choices(named("evicpress/fig11"), chosen, "evicpress(quality=raw)", 1);
    QCOMPARE(measured(figure, "slower-tier-more-compressed")->low, 0.625);
    QCOMPARE(test::verdict_of(figure, "evicpress/slower-tier-more-compressed"), std::string("contradicts: smaller"));
    std::erase_if(chosen, [](const ChosenForm& form) { return form.tier_rank == 1; });
    const FigureResult without = figure_choices(named("evicpress/fig11"), chosen, "evicpress(quality=raw)", 1);
    QVERIFY(!measured(without, "slower-tier-more-compressed"));
  }
  void choicesAreClaimedUnderThePapersBudget() {
    std::vector<ChosenForm> chosen;
    for (const char* context : {"a", "b", "c"}) {
      chosen.push_back({"dram", "snapkv", 0.9, context, 0, 0.1, 0.02});
      chosen.push_back({"ssd", "snapkv", 0.5, context, 1, 0.5, 0.02});
      chosen.push_back({"dram", "keydiff", 0.5, context, 0, 0.5, 0.08});
      chosen.push_back({"ssd", "keydiff", 0.75, context, 1, 0.25, 0.08});
    }
    const FigureResult figure = figure_choices(named("evicpress/fig11"), chosen, "evicpress(quality=raw)", 1);
    QCOMPARE(measured(figure, "slower-tier-more-compressed")->low, 2.0);
    QCOMPARE(measured(figure, "keydiff-chosen-more-often")->low, 1.0);
    QVERIFY(says(figure, "claims are measured at 8 % of the bytes"));
    QVERIFY(
        says(figure, "the slower tier holds the more strongly compressed caches in 1 of 2 steps from tier to tier"));
    const FigureTable& means = figure.tables.at(1);
    QCOMPARE(means.columns.back(), std::string("budget %"));
    QCOMPARE(means.rows.size(), std::size_t{4});
    QCOMPARE(means.rows[0].back().get<double>(), 2.0);
    QCOMPARE(means.rows[3].back().get<double>(), 8.0);
    QCOMPARE(means.plot->by, std::vector<std::string>{"budget %"});
    QCOMPARE(figure.tables[0].rows.size(), std::size_t{4});
    for (const FigureTable& table : figure.tables)
      for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
  }
  void choicesKnowTheirBudget() {
    Snapshot snapshot;
    snapshot.tiers.push_back({.name = "dram", .budget_bytes = 1000, .model = {}});
    ContextState context;
    context.id = "a";
    context.full_bytes = 200;
    context.stored_bytes = 50;
    context.placement = {0, "knorm", 0.75};
    snapshot.contexts = {context, ContextState{}};  // the other is nowhere
    const auto chosen = chosen_forms(snapshot, 0.08);
    QCOMPARE(chosen.size(), std::size_t{1});
    QCOMPARE(chosen[0].tier, std::string("dram"));
    QCOMPARE(chosen[0].bytes_share, 0.25);
    QCOMPARE(chosen[0].budget_fraction, 0.08);
  }
};

KV_TEST_GUILESS_MAIN(ChoicesFigureTest)

}  // namespace choices_figure_test

#include "choices_figure_test.moc"
