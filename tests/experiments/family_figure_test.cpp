// links: kv_experiments
// The trade-off in each family, against means worked out by hand.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/experiments/policy_figures.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace family_figure_test {

using namespace kvantage;

namespace {

/// One request for each of the families "a" and "b", which have a context each.
PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality) {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}};
  for (const char* context : {"a", "b"})
    made.samples.push_back({context, context, "dram", seconds, 0.01, quality, quality, seconds, 0.02});
  return made;
}

/// One request for each of two contexts in the families "a" and "b".
PolicyOutcome in_families(std::string policy, double alpha, double quality, const std::vector<double>& seconds) {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    made.samples.push_back(
        {std::to_string(i), i < 2 ? "a" : "b", "dram", seconds[i], 0.01, quality, {}, seconds[i], 0});
  return made;
}

/// Numbers to within rounding.
bool is_row(const std::vector<Json>& row, const std::vector<Json>& wanted) {
  return std::ranges::equal(row, wanted, [](const Json& one, const Json& other) {
    if (!one.is_number() || !other.is_number()) return one == other;
    return std::fabs(one.get<double>() - other.get<double>()) < 1e-9;
  });
}

const PaperFigure& named(const char* name) { return *find_paper_figure(name); }

}  // namespace

class FamilyFigureTest : public QObject {
  Q_OBJECT
 private slots:
  void familiesAheadAtSomeAlphaAndAtEvery() {
    std::vector<PolicyOutcome> all{outcome("fixed(x,0.5)", 0, 0.2, 0.8), outcome("evicpress(quality=raw)", 1, 0.1, 0.8),
                                   outcome("evicpress(quality=raw)", 0.1, 0.1, 0.8)};
    all[2].samples[1].ttft_seconds = 0.4;  // slower in family "b"
    const auto said = [](const std::vector<PolicyOutcome>& of) {
      return figure_frontier_by_family(named("evicpress/fig12"), of).time_findings.at(0);
    };
    QVERIFY2(said(all).find("at every alpha in 1 of 2 families, at some alpha in 2") != std::string::npos,
             said(all).c_str());
    // A second budget adds no family: both are ahead at every alpha under it, and "b" still not under the first.
    std::vector<PolicyOutcome> two = all;
    for (PolicyOutcome outcome_of : {all[0], all[1]}) {
      outcome_of.budget_fraction = 0.5;
      two.push_back(outcome_of);
    }
    const FigureTable speedups = figure_frontier_by_family(named("evicpress/fig12"), two).tables.at(3);
    QCOMPARE(speedups.rows.size(), std::size_t{2});
    QCOMPARE(speedups.rows[0].at(5), Json("at every alpha"));
    QCOMPARE(speedups.rows[1].at(5), Json("at some alpha"));
    all[2].samples[1].ttft_seconds = 0.1;
    QVERIFY(said(all).find("at every alpha in 2 of 2") != std::string::npos);
    for (PolicyOutcome* ours : {&all[1], &all[2]})
      for (PolicySample& sample : ours->samples) sample.ttft_seconds = 0.3;
    QVERIFY(said(all).find("at every alpha in 0 of 2 families, at some alpha in 0") != std::string::npos);
  }
  // Improved: the interval of the mean speedup is above 1.
  void familiesImproveByTheMeanSpeedup() {
    const std::vector<PolicyOutcome> all{in_families("fixed(x,0.5)", 0, 0.8, {0.2, 0.2, 0.2, 0.2}),
                                         in_families("evicpress(quality=raw)", 1, 0.8, {0.1, 0.1, 0.1, 0.4})};
    const FigureResult figure = figure_frontier_by_family(named("evicpress/fig12"), all);
    const FigureTable& speedups = figure.tables.at(3);
    QCOMPARE(speedups.columns, (std::vector<std::string>{"family", "mean speedup", "low", "high", "trade-off",
                                                         "evicpress is ahead", "points", "unreached"}));
    QVERIFY(is_row(speedups.rows.at(0), {"a", 2, 2, 2, "improved", "at every alpha", 1, 0}));
    // Twice as fast on one context and half as fast on the other.
    QVERIFY(is_row(speedups.rows.at(1), {"b", 0.8, 0.5, 2, "cannot tell", "at no alpha", 1, 0}));
    const FigureTable& shares = figure.tables.at(2);
    QVERIFY(is_row(shares.rows.at(0), {"improved", 50, 9.453120573423074, 90.54687942657693, "at every alpha", 50, 2}));
    QVERIFY(is_row(shares.rows.at(1), {"worse", 0, 0, 65.76197724933469, "at no alpha", 50, 2}));
    QCOMPARE(figure.time_findings.back(), std::string("the mean speedup at equal quality is above 1 in 1 of 2 families "
                                                      "and below 1 in 0, by intervals over contexts"));
    const auto claim = [&](const char* id) {
      return std::ranges::find(figure.measured, id, &MeasuredClaim::claim)->measured;
    };
    QCOMPARE(claim("evicpress/tasks-improved").low, 0.5);
    QVERIFY(std::fabs(claim("evicpress/tasks-improved").low_interval->high - 0.9054687942657693) < 1e-9);
    QCOMPARE(claim("evicpress/tasks-worse").low, 0.0);
    QCOMPARE(test::verdict_of(figure, "evicpress/tasks-improved"),
             std::string("cannot tell at this n: n 2, about 7 needed"));
  }
  // An alpha that is worse in every way is no choice of anyone; "ahead at every alpha" counts it all the same.
  void dominatedPointsAreNoTradeOff() {
    const FigureResult figure = figure_frontier_by_family(
        named("evicpress/fig12"), {in_families("fixed(x,0.5)", 0, 0.8, {0.2, 0.2, 0.2, 0.2}),
                                   in_families("evicpress(quality=raw)", 1, 0.8, {0.1, 0.1, 0.1, 0.1}),
                                   in_families("evicpress(quality=raw)", 0.1, 0.7, {0.2, 0.2, 0.4, 0.4})});
    QVERIFY(is_row(figure.tables.at(3).rows.at(1), {"b", 2, 2, 2, "improved", "at some alpha", 1, 0}));
    QVERIFY(is_row(figure.tables.at(2).rows.at(0), {"improved", 100, 34.238022750665303, 100, "at every alpha", 0, 2}));
  }
  // All points of all budgets count alike.
  void theMeanIsOverAlphasAndBudgets() {
    std::vector<PolicyOutcome> all{in_families("fixed(x,0.5)", 0, 0.8, {0.2, 0.2, 0.2, 0.2}),
                                   in_families("fixed(x,0.9)", 0, 0.5, {0.15, 0.15, 0.15, 0.15}),
                                   in_families("evicpress(quality=raw)", 1, 0.8, {0.1, 0.1, 0.8, 0.8}),
                                   in_families("evicpress(quality=raw)", 0.1, 0.5, {0.05, 0.05, 0.3, 0.3}),
                                   in_families("fixed(x,0.5)", 0, 0.8, {0.2, 0.2, 0.2, 0.2}),
                                   in_families("evicpress(quality=raw)", 1, 0.8, {0.2, 0.2, 0.8, 0.8}),
                                   in_families("evicpress(quality=raw)", 2, 0.9, {0.3, 0.3, 0.9, 0.9})};
    for (std::size_t i = 4; i < all.size(); ++i) all[i].budget_fraction = 0.5;
    const FigureResult figure = figure_frontier_by_family(named("evicpress/fig12"), all);
    // (2 + 3 + 1) / 3, and one point that no fixed policy reaches.
    QVERIFY(is_row(figure.tables.at(3).rows.at(0), {"a", 2, 2, 2, "improved", "at some alpha", 4, 1}));
    // (1/4 + 1/2 + 1/4) / 3.
    QVERIFY(is_row(figure.tables.at(3).rows.at(1), {"b", 1.0 / 3, 1.0 / 3, 1.0 / 3, "worse", "at some alpha", 4, 1}));
    QVERIFY(is_row(figure.tables.at(2).rows.at(1),
                   {"worse", 50, 9.453120573423074, 90.54687942657693, "at no alpha", 0, 2}));
  }
  void whatNoFixedPolicyReachesIsImproved() {
    const FigureResult figure = figure_frontier_by_family(
        named("evicpress/fig12"), {in_families("fixed(x,0.5)", 0, 0.8, {0.2, 0.2, 0.2, 0.2}),
                                   in_families("evicpress(quality=raw)", 1, 0.9, {0.4, 0.4, 0.4, 0.4})});
    QVERIFY(is_row(figure.tables.at(3).rows.at(0), {"a", Json(), Json(), Json(), "improved", "at every alpha", 1, 1}));
    // One context has no interval, and so nothing is known.
    const FigureResult alone = figure_frontier_by_family(
        named("evicpress/fig12"),
        {outcome("fixed(x,0.5)", 0, 0.2, 0.8), outcome("evicpress(quality=raw)", 1, 0.1, 0.8)});
    QVERIFY(is_row(alone.tables.at(3).rows.at(0), {"a", 2, Json(), Json(), "cannot tell", "at every alpha", 1, 0}));
  }
  // The paper's number is a share of its tasks, beside ours of the families.
  void familiesAheadBesideThePapers() {
    std::vector<PolicyOutcome> all{outcome("fixed(x,0.5)", 0, 0.2, 0.8), outcome("evicpress(quality=raw)", 1, 0.1, 0.8),
                                   outcome("evicpress(quality=raw)", 0.1, 0.1, 0.8)};
    all[2].samples[1].ttft_seconds = 0.4;  // slower in family "b"
    const FigureTable shares = figure_frontier_by_family(named("evicpress/fig12"), all).tables.at(2);
    QCOMPARE(shares.rows.size(), std::size_t{2});
    QCOMPARE(shares.columns.at(5), std::string("% of the families ahead"));
    QCOMPARE(shares.rows[0].at(5).get<double>(), 50.0);
    QCOMPARE(shares.rows[1].at(5).get<double>(), 0.0);
    QCOMPARE(shares.plot->published.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) QCOMPARE(shares.plot->published[i].at, Json(shares.rows[i].at(0)));
    QCOMPARE(shares.plot->published[0].low, 91.7);
    QCOMPARE(shares.plot->published[1].low, 8.3);
  }
};

KV_TEST_GUILESS_MAIN(FamilyFigureTest)

}  // namespace family_figure_test

#include "family_figure_test.moc"
