// links: kv_base
// The upper bound against exhaustive search, against a linear program solved by hand, and against the greedy.
#include <QtTest>
#include <cstdio>

#include "core/policy/lp_bound.h"
#include "core/policy/min_drop_plan.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace lp_bound_test {

using namespace kvantage;
using namespace kvantage::testing;

class LpBoundTest : public QObject {
  Q_OBJECT
 private slots:
  void boundThenOptimumThenGreedy() {
    Random random(41);
    double sum = 0, worst = 0, bound_sum = 0;
    int count = 0;
    while (count < 1000) {
      const Snapshot s = random_snapshot(random, {.contexts = 2 + random.below(3),
                                                  .tiers = 1 + random.below(2),
                                                  .methods = 1 + random.below(2),
                                                  .fractions = 2});
      const PlanningProblem problem(s);
      const LpBound bound = lp_bound(problem, s.alpha);
      const double best = exhaustive_best(s);
      const double tolerance = 1e-9 * (1 + std::fabs(best));
      QVERIFY2(bound.utility >= best - tolerance, qPrintable(QString("problem %1: bound %2, optimum %3")
                                                                 .arg(count)
                                                                 .arg(bound.utility, 0, 'g', 17)
                                                                 .arg(best, 0, 'g', 17)));
      QVERIFY(std::fabs(bound.prefill_utility - prefill_everything(s)) <= tolerance);
      for (const bool per_byte : {false, true}) {
        const double greedy = MinDropPlan(problem, s.alpha, PlanStart::utility, per_byte).total_utility();
        QVERIFY(best >= greedy - tolerance);
        if (!per_byte || best - bound.prefill_utility < 1e-9) continue;
        const double gap = (best - greedy) / (best - bound.prefill_utility);
        sum += gap;
        worst = std::max(worst, gap);
        bound_sum += lp_gap(bound, best);
      }
      ++count;
    }
    std::printf(
        "1000 small problems: greedy (per byte) below the optimum by %.4f of what storing can gain (worst %.4f); "
        "the bound above it by %.4f\n",
        sum / count, worst, bound_sum / count);
    QVERIFY(worst <= 1 + 1e-9);
  }

  void isTheLinearProgramsOptimumOnOneTier() {
    // One form each: the linear knapsack fills the tier by utility per byte and cuts the last context in two. What is
    // larger than the tier is no part of it.
    Random random(42);
    for (int round = 0; round < 200; ++round) {
      Snapshot s =
          random_snapshot(random, {.contexts = 1 + random.below(30), .tiers = 1, .methods = 0, .fractions = 1});
      struct Gain {
        double per_byte, bytes;
      };
      std::vector<Gain> gains;
      double room = static_cast<double>(s.tiers[0].budget_bytes), expected = 0;
      for (const ContextState& context : s.contexts) {
        const double stored = utility_of(s, context, &context.profile->points.front(), 0);
        const double unstored = utility_of(s, context, nullptr, not_stored);
        const double bytes = static_cast<double>(context.full_bytes);
        expected += unstored;
        if (stored > unstored && context.full_bytes <= s.tiers[0].budget_bytes)
          gains.push_back({(stored - unstored) / bytes, bytes});
      }
      std::sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.per_byte > b.per_byte; });
      for (const Gain& gain : gains) {
        const double bytes = std::min(gain.bytes, room);
        expected += gain.per_byte * bytes;
        room -= bytes;
      }
      const LpBound bound = lp_bound(PlanningProblem(s), s.alpha);
      const double scale = std::max(expected - bound.prefill_utility, 1e-12);
      QVERIFY2(std::fabs(bound.utility - expected) <= 1e-5 * scale + 1e-9 * std::fabs(expected),
               qPrintable(QString("%1: %2 instead of %3").arg(round).arg(bound.utility).arg(expected)));
      QVERIFY(bound.utility >= expected - 1e-9 * (1 + std::fabs(expected)));
    }
  }

  void provesHowFarItCanBeOff() {
    Random random(43);
    for (int round = 0; round < 50; ++round) {
      const Snapshot s = random_snapshot(random, {.contexts = 200, .tiers = 3, .methods = 2, .fractions = 5});
      const LpBound bound = lp_bound(PlanningProblem(s), s.alpha);
      QVERIFY(bound.slack <= 1e-6 * std::max(bound.utility - bound.prefill_utility, 1e-9) + 1e-9);
    }
  }

  void manyContextsLeaveTheGreedyLittleToGain() {
    Random random(44);
    Snapshot s = random_snapshot(random, {.contexts = 20'000, .tiers = 2, .methods = 2, .fractions = 6});
    s.tiers[0].budget_bytes = 2'000'000'000;
    s.tiers[1].budget_bytes = 6'000'000'000;
    const PlanningProblem problem(s);
    const LpBound bound = lp_bound(problem, s.alpha);
    const double greedy = MinDropPlan(problem, s.alpha, PlanStart::utility, true).total_utility();
    const double gap = lp_gap(bound, greedy);
    std::printf("20,000 contexts: gap to the bound %.5f\n", gap);
    QVERIFY(gap > -1e-9);
    QVERIFY(gap < 0.005);
  }

  void nothingToStoreIsNoGap() {
    Snapshot s;
    s.tiers = {{"dram", 0, {0, 1e9, 0, 0}, false}};
    const LpBound bound = lp_bound(PlanningProblem(s), 1);
    QCOMPARE(bound.utility, 0.0);
    QCOMPARE(lp_gap(bound, 0), 0.0);
  }
};

KV_TEST_GUILESS_MAIN(LpBoundTest)

}  // namespace lp_bound_test

#include "lp_bound_test.moc"
