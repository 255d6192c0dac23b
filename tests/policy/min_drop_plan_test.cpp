// links: kv_base
// A plan that follows changes against one built from scratch, and against the greedy as the paper writes it: look at
// every possible step, take the least.
#include <QtTest>

#include "core/policy/min_drop_plan.h"
#include "core/policy/utility.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace min_drop_plan_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

struct Position {
  int tier = not_stored;
  std::uint32_t option = 0;
};

/// Quadratic, without chains, cuts or heaps. Keys never fall along a context's steps on a tier, as promised.
class PlainGreedy {
 public:
  PlainGreedy(const PlanningProblem& problem, double alpha, bool per_byte, bool fitting)
      : problem_(problem), alpha_(alpha), per_byte_(per_byte), fitting_(fitting), at(problem.items().size()) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = start(i);
    for (int t = 0; t < static_cast<int>(problem.tiers()); ++t) shrink(t);
  }
  double value(std::size_t i, const Position& p) const {
    const PlanningItem& item = problem_.items()[i];
    if (p.tier == not_stored) return alpha_ * item.prefill_quality - item.prefill_seconds;
    return alpha_ * problem_.quality(p.option) - problem_.ttft_seconds(p.option, static_cast<std::size_t>(p.tier));
  }
  double bytes(const Position& p) const {
    return p.tier == not_stored ? 0 : static_cast<double>(problem_.bytes(p.option));
  }

 private:
  Position best_from(std::size_t i, int first_tier) const {
    Position best;
    const PlanningItem& item = problem_.items()[i];
    for (int t = first_tier; t < static_cast<int>(problem_.tiers()); ++t)
      for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
        if (const Position p{t, o}; fits(p) && value(i, p) > value(i, best)) best = p;
    return best;
  }
  bool fits(const Position& p) const {
    return !fitting_ || problem_.bytes(p.option) <= problem_.budget(static_cast<std::size_t>(p.tier));
  }
  Position start(std::size_t i) const {
    const PlanningItem& item = problem_.items()[i];
    if (item.fixed) return {item.fixed_tier, item.first};
    return item.frequency > 0 ? best_from(i, 0) : Position{};
  }
  void shrink(int tier) {
    std::vector<double> key(at.size(), -std::numeric_limits<double>::infinity());
    for (;;) {
      double used = 0;
      for (std::size_t i = 0; i < at.size(); ++i) used += at[i].tier == tier ? bytes(at[i]) : 0;
      if (used <= static_cast<double>(problem_.budget(static_cast<std::size_t>(tier)))) return;
      double least = std::numeric_limits<double>::infinity();
      std::size_t who = at.size();
      Position to;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const PlanningItem& item = problem_.items()[i];
        if (at[i].tier != tier || item.fixed || bytes(at[i]) == 0) continue;
        std::vector<Position> ways{best_from(i, tier + 1)};
        for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
          if (problem_.bytes(o) < problem_.bytes(at[i].option)) ways.push_back({tier, o});
        double own = std::numeric_limits<double>::infinity();
        Position own_to;
        for (const Position& way : ways) {
          double drop = value(i, at[i]) - value(i, way);
          if (per_byte_) drop /= bytes(at[i]) - (way.tier == tier ? bytes(way) : 0);
          if (drop < own) {
            own = drop;
            own_to = way;
          }
        }
        own = std::max(own * item.frequency, key[i]);
        if (own >= least) continue;
        least = own;
        who = i;
        to = own_to;
      }
      if (who == at.size()) return;
      key[who] = least;
      at[who] = to;
    }
  }

  const PlanningProblem& problem_;
  double alpha_;
  bool per_byte_, fitting_;

 public:
  std::vector<Position> at;
};

bool same(const MinDropPlan& a, const MinDropPlan& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const PlanChoice x = a.choice(i), y = b.choice(i);
    if (x.tier != y.tier || (x.tier != not_stored && x.option != y.option) || x.full_tier != y.full_tier) return false;
  }
  return a.steps() == b.steps();
}

void change_context(Random& random, Snapshot& s, std::size_t index) {
  ContextState& context = s.contexts[index];
  switch (random.below(4)) {
    case 0:
      context.frequency = random.below(4) == 0 ? 0 : 30 * random.uniform();
      break;
    case 1:
      context.archived = !context.archived;
      break;
    case 2:
      context.pinned = !context.pinned && context.placement.stored();
      break;
    default: {
      auto profile = std::make_shared<ContextProfile>(*context.profile);
      for (ProfilePoint& point : profile->points) point.quality *= 0.5 + 0.5 * random.uniform();
      if (profile->points.size() > 2 && random.below(2) == 0)
        profile->points.pop_back();
      else
        profile->points.push_back({"new", 0.95, 0.3 * random.uniform(), 0, 1, 3, 4000 + random.below(5000), 40});
      context.profile = profile;
    }
  }
}

}  // namespace

class MinDropPlanTest : public QObject {
  Q_OBJECT
 private slots:
  void takesTheStepsOfThePlainGreedy_data() {
    QTest::addColumn<bool>("per_byte");
    QTest::addColumn<bool>("fitting");
    for (const bool fitting : {false, true}) {
      QTest::addRow("absolute%s", fitting ? ", what fits" : "") << false << fitting;
      QTest::addRow("per byte%s", fitting ? ", what fits" : "") << true << fitting;
    }
  }
  void takesTheStepsOfThePlainGreedy() {
    QFETCH(bool, per_byte);
    QFETCH(bool, fitting);
    Random random(31);
    int stepped = 0;
    for (int round = 0; round < 2000; ++round) {
      const Snapshot s = random_snapshot(random, {.contexts = 1 + random.below(14),
                                                  .tiers = 1 + random.below(3),
                                                  .methods = 1 + random.below(3),
                                                  .fractions = 1 + random.below(4)});
      const PlanningProblem problem(s);
      const MinDropPlan plan(problem, s.alpha, PlanStart::utility, per_byte, fitting);
      const PlainGreedy plain(problem, s.alpha, per_byte, fitting);
      for (std::size_t i = 0; i < s.contexts.size(); ++i) {
        const PlanChoice choice = plan.choice(i);
        QVERIFY2(choice.tier == plain.at[i].tier && (choice.tier == not_stored || choice.option == plain.at[i].option),
                 qPrintable(QString("problem %1, context %2").arg(round).arg(i)));
      }
      stepped += plan.steps() > 0;
    }
    QVERIFY(stepped > 1000);
  }

  void followsChangesAsIfBuiltAgain_data() {
    QTest::addColumn<int>("start");
    QTest::addColumn<bool>("per_byte");
    QTest::addColumn<bool>("fitting");
    for (const int start : {0, 1})
      for (const bool per_byte : {false, true})
        for (const bool fitting : {false, true})
          QTest::addRow("start %d, %s%s", start, per_byte ? "per byte" : "absolute", fitting ? ", what fits" : "")
              << start << per_byte << fitting;
  }
  void followsChangesAsIfBuiltAgain() {
    QFETCH(int, start);
    QFETCH(bool, per_byte);
    QFETCH(bool, fitting);
    Random random(32);
    int moved = 0;
    for (int world = 0; world < 60; ++world) {
      Snapshot s = random_snapshot(random, {.contexts = 2 + random.below(40),
                                            .tiers = 1 + random.below(3),
                                            .methods = 2,
                                            .fractions = 4,
                                            .placed = true});
      const std::size_t known = 1 + random.below(s.contexts.size());
      Snapshot some = s;
      some.contexts.resize(known);
      // The guess for what is not profiled depends on all contexts; here all are profiled.
      PlanningProblem problem(some);
      MinDropPlan plan(problem, s.alpha, static_cast<PlanStart>(start), per_byte, fitting);
      for (int change = 0; change < 40; ++change) {
        const auto kind = random.below(4);
        const std::uint64_t before = plan.work();
        if (kind == 0) {
          const auto tier = random.below(s.tiers.size());
          some.tiers[tier].budget_bytes = random.below(3) == 0 ? random.next() : random.below(6'000'000);
          problem.set_budget(tier, some.tiers[tier].budget_bytes);
          plan.budgets_changed();
        } else if (kind == 1 && some.contexts.size() < s.contexts.size()) {
          some.contexts.push_back(s.contexts[some.contexts.size()]);
          problem.update(some, some.contexts.size() - 1);
          plan.item_changed(some.contexts.size() - 1);
        } else if (kind == 2) {
          some.alpha = std::pow(10.0, -2 + 4 * random.uniform());
          plan.set_alpha(some.alpha);
        } else {
          const auto index = random.below(some.contexts.size());
          change_context(random, some, index);
          problem.update(some, index);
          plan.item_changed(index);
        }
        moved += plan.work() != before;
        const MinDropPlan fresh(problem, some.alpha, static_cast<PlanStart>(start), per_byte, fitting);
        QVERIFY2(same(plan, fresh, some.contexts.size()),
                 qPrintable(QString("world %1, change %2 of kind %3").arg(world).arg(change).arg(kind)));
        const PlanningProblem flat(some);
        const MinDropPlan from_snapshot(flat, some.alpha, static_cast<PlanStart>(start), per_byte, fitting);
        QVERIFY(std::fabs(plan.total_utility() - from_snapshot.total_utility()) <=
                1e-9 * (1 + std::fabs(plan.total_utility())));
      }
    }
    QVERIFY(moved > 200);
  }

  void oneContextCostsAFewSteps() {
    Random random(33);
    Snapshot s = random_snapshot(random, {.contexts = 5000, .tiers = 2, .methods = 2, .fractions = 6});
    for (TierState& tier : s.tiers) tier.budget_bytes = 600'000'000;
    PlanningProblem problem(s);
    MinDropPlan plan(problem, s.alpha, PlanStart::utility, true);
    QVERIFY(plan.steps() > 1000);
    const std::uint64_t before = plan.work();
    for (std::size_t i = 0; i < 100; ++i) {
      s.contexts[i * 50].frequency += 5;
      problem.update(s, i * 50);
      plan.item_changed(i * 50);
    }
    QVERIFY2(plan.work() - before < 100 * 40, qPrintable(QString::number(plan.work() - before)));
  }

  void theSparedStepIsTheNextOne() {
    Random random(34);
    int checked = 0;
    for (int round = 0; round < 300; ++round) {
      const Snapshot s = random_snapshot(random, {.contexts = 8, .tiers = 1, .methods = 2, .fractions = 4});
      const PlanningProblem problem(s);
      const MinDropPlan plan(problem, s.alpha, PlanStart::utility, false);
      for (std::size_t i = 0; i < s.contexts.size(); ++i) {
        const PlanChoice choice = plan.explained_choice(i);
        if (choice.rival_item < 0) continue;
        // Its step is one that it did not take: it stands where the step starts.
        const auto rival = static_cast<std::size_t>(choice.rival_item);
        QVERIFY(rival != i);
        const PlanChoice there = plan.choice(rival);
        QCOMPARE(there.tier, 0);
        const double now = utility(s.alpha, problem.quality(there.option), problem.ttft_seconds(there.option, 0), 1);
        const double then = choice.rival_tier == not_stored ? utility(s.alpha, problem.items()[rival].prefill_quality,
                                                                      problem.items()[rival].prefill_seconds, 1)
                                                            : utility(s.alpha, problem.quality(choice.rival_option),
                                                                      problem.ttft_seconds(choice.rival_option, 0), 1);
        QVERIFY(std::fabs(choice.rival_drop - problem.items()[rival].frequency * (now - then)) <
                1e-9 * (1 + std::fabs(now)));
        ++checked;
      }
    }
    QVERIFY(checked > 300);
  }
};

KV_TEST_GUILESS_MAIN(MinDropPlanTest)

}  // namespace min_drop_plan_test

#include "min_drop_plan_test.moc"
