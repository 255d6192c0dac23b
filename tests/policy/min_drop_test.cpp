// links: kv_base
// The planner against exhaustive search, and the two promises it makes about budgets.
#include <QtTest>
#include <cstdio>

#include "core/policy/policy.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace min_drop_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::shared_ptr<const Policy> policy(const char* text) { return *make_policy(text); }

/// One tier, all entries in the same sizes s, 2s, .. Ks, utilities concave over {0, s, .. Ks}: the greedy is exact
/// here.
Snapshot equal_sizes_and_concave_curves(Random& random) {
  constexpr std::uint64_t size = 1'000'000;
  const auto contexts = 2 + random.below(4);
  const auto sizes = 2 + random.below(3);
  Snapshot snapshot;
  snapshot.alpha = 0.1 + 2 * random.uniform();
  snapshot.tiers = {{"dram", random.below(contexts * sizes + 2) * size + random.below(size), {0, 1e9, 0, 0}, false}};
  snapshot.prefill = {0, 1e-6, 0};
  for (std::size_t i = 0; i < contexts; ++i) {
    std::vector<double> rises(sizes);
    for (double& rise : rises) rise = random.uniform();
    std::sort(rises.begin(), rises.end(), std::greater<>());
    double sum = 0;
    for (const double rise : rises) sum += rise;
    auto profile = std::make_shared<ContextProfile>();
    std::vector<double> quality(sizes);
    double reached = 0;
    for (std::size_t k = 0; k < sizes; ++k) quality[k] = reached += rises[k] / sum;
    for (std::size_t k = sizes; k > 0; --k) {
      const double removed = 1 - static_cast<double>(k) / static_cast<double>(sizes);
      profile->points.push_back({k == sizes ? "none" : "good", removed, quality[k - 1], 0, 1, 4, k * size, 0});
      if (k < sizes) profile->points.push_back({"bad", removed, quality[k - 1] * 0.9, 0, 1, 4, k * size, 0});
    }
    // Prefilling keeps the full quality, so it must be slow enough that its utility ends the curve concavely.
    const double step = static_cast<double>(size) / 1e9;
    const double second_rise = snapshot.alpha * (quality[1] - quality[0]) - step;
    const double needed = snapshot.alpha * (1 - quality[0]) + step + std::max(second_rise, -step);
    ContextState context;
    context.key = {i, 1};
    context.id = std::string("c").append(std::to_string(i));
    context.tokens = static_cast<int>(std::ceil((needed + random.uniform()) * 1e6));
    context.full_bytes = sizes * size;
    context.frequency = 0.1 + 5 * random.uniform();
    context.archived = true;
    context.profile = profile;
    snapshot.contexts.push_back(context);
  }
  return snapshot;
}

/// Whether some entry of the world is larger than `less` and no larger than `more`.
bool begins_to_fit(const Snapshot& snapshot, std::uint64_t less, std::uint64_t more) {
  return std::ranges::any_of(snapshot.contexts, [&](const ContextState& context) {
    const auto between = [&](std::uint64_t bytes) { return bytes > less && bytes <= more; };
    return between(context.full_bytes) ||
           (context.profile && std::ranges::any_of(context.profile->points, between, &ProfilePoint::bytes));
  });
}

Snapshot one_large_and_ten_small(std::uint64_t budget) {
  Snapshot snapshot;
  snapshot.tiers = {{"dram", budget, {0, 1e9, 0, 0}, false}};
  snapshot.prefill = {0, 0.01, 0};
  for (std::uint64_t i = 0; i < 11; ++i) {
    const bool large = i == 0;
    ContextState context;
    context.key = {0, i};
    context.id = std::string("c").append(std::to_string(i));
    context.tokens = large ? 1000 : 900;
    context.frequency = 1;
    context.archived = true;
    context.full_bytes = large ? 1001 : 100;
    auto profile = std::make_shared<ContextProfile>();
    profile->points.push_back({"none", 0, 1, 1, 1, 1, context.full_bytes, context.tokens});
    context.profile = profile;
    snapshot.contexts.push_back(context);
  }
  return snapshot;
}

}  // namespace

class MinDropTest : public QObject {
  Q_OBJECT
 private slots:
  void equalsExhaustiveSearchOnEqualSizesAndConcaveCurves_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"evicpress", "evicpress(drop=per_byte)", "evicpress(drop=best)"})
      QTest::newRow(text) << text;
  }
  void equalsExhaustiveSearchOnEqualSizesAndConcaveCurves() {
    QFETCH(QString, text);
    const auto planner = policy(text.toUtf8().constData());
    Random random(11);
    int stepped = 0;
    for (int i = 0; i < 200; ++i) {
      const Snapshot snapshot = equal_sizes_and_concave_curves(random);
      const Plan plan = planner->plan(snapshot);
      const double best = exhaustive_best(snapshot);
      QVERIFY2(std::fabs(plan.total_utility - best) <= 1e-9 * (1 + std::fabs(best)),
               qPrintable(QString("problem %1: %2 instead of %3").arg(i).arg(plan.total_utility).arg(best)));
      stepped += plan.steps > 0;
    }
    QVERIFY(stepped > 100);
  }

  void gapToExhaustiveSearch_data() { equalsExhaustiveSearchOnEqualSizesAndConcaveCurves_data(); }
  void gapToExhaustiveSearch() {
    QFETCH(QString, text);
    const auto planner = policy(text.toUtf8().constData());
    Random random(12);
    double sum = 0, worst = 0;
    int count = 0;
    while (count < 200) {
      WorldShape shape;
      shape.contexts = 2 + random.below(3);
      shape.tiers = 1 + random.below(2);
      shape.methods = 1 + random.below(2);
      shape.fractions = 2;
      const Snapshot snapshot = random_snapshot(random, shape);
      const double best = exhaustive_best(snapshot), floor = prefill_everything(snapshot);
      if (best - floor < 1e-9) continue;
      const double gap = (best - planner->plan(snapshot).total_utility) / (best - floor);
      QVERIFY(gap > -1e-9);     // nothing beats exhaustive search
      QVERIFY(gap < 1 + 1e-9);  // storing is never worse than storing nothing
      sum += gap;
      worst = std::max(worst, gap);
      ++count;
    }
    std::printf(
        "gap to exhaustive search, share of what storing can gain, %s, %d problems of other shapes: mean %.4f, worst "
        "%.4f\n",
        qPrintable(text), count, sum / count, worst);
    QVERIFY(sum / count < 0.05);
  }

  void budgetIsNeverExceeded() {
    const std::vector<std::shared_ptr<const Policy>> planners{policy("evicpress"), policy("evicpress(start=quality)"),
                                                              policy("evicpress(drop=per_byte)"),
                                                              policy("evicpress(drop=best)")};
    Random random(13);
    for (int i = 0; i < 10'000; ++i) {
      WorldShape shape;
      shape.contexts = random.below(20);
      shape.tiers = random.below(4);
      shape.methods = random.below(4);
      shape.fractions = 1 + random.below(5);
      shape.unprofiled = random.below(2) == 0;
      Snapshot snapshot = random_snapshot(random, shape);
      if (i % 2 == 1) store_inputs_and_serve_hybrid(snapshot);
      for (const auto& planner : planners) {
        const Plan plan = planner->plan(snapshot);
        QCOMPARE(plan.contexts.size(), snapshot.contexts.size());
        std::vector<std::uint64_t> used(snapshot.tiers.size(), 0);
        for (const PlannedContext& planned : plan.contexts)
          if (planned.configuration.stored())
            used.at(static_cast<std::size_t>(planned.configuration.tier)) += planned.bytes;
        for (std::size_t t = 0; t < used.size(); ++t) {
          QVERIFY2(used[t] <= snapshot.tiers[t].budget_bytes, qPrintable(QString("problem %1, tier %2").arg(i).arg(t)));
          QCOMPARE(used[t], plan.used_bytes[t]);
        }
      }
    }
  }

  void moreBudgetNeverLowersTotalUtility_data() { equalsExhaustiveSearchOnEqualSizesAndConcaveCurves_data(); }
  void moreBudgetNeverLowersTotalUtility() {
    QFETCH(QString, text);
    const bool always = text.contains("best");  // the others: while no entry begins to fit
    const auto planner = policy(text.toUtf8().constData());
    Random random(14);
    int improved = 0;
    for (int i = 0; i < 10'000; ++i) {
      WorldShape shape;
      shape.contexts = 1 + random.below(15);
      shape.tiers = 1 + random.below(3);
      shape.methods = random.below(3);
      shape.fractions = 1 + random.below(5);
      shape.unprofiled = random.below(2) == 0;
      Snapshot snapshot = random_snapshot(random, shape);
      if (i % 2 == 1) store_inputs_and_serve_hybrid(snapshot);
      const double before = planner->plan(snapshot).total_utility;
      std::uint64_t total = 0;
      for (const ContextState& context : snapshot.contexts) total += context.full_bytes;
      for (TierState& tier : snapshot.tiers) {
        if (random.below(3) == 0) continue;
        const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - tier.budget_bytes;
        const auto more = random.below(2) == 0
                              ? random.below(4000)
                              : static_cast<std::uint64_t>(random.uniform() * static_cast<double>(total));
        const std::uint64_t raised = tier.budget_bytes + std::min(more, room);
        if (!always && begins_to_fit(snapshot, tier.budget_bytes, raised)) continue;
        tier.budget_bytes = raised;
      }
      const double after = planner->plan(snapshot).total_utility;
      QVERIFY2(after >= before - 1e-9 * (1 + std::fabs(before)),
               qPrintable(QString("problem %1: %2 fell to %3").arg(i).arg(before).arg(after)));
      improved += after > before + 1e-9;
    }
    QVERIFY2(improved > (always ? 1000 : 100), qPrintable(QString::number(improved)));
  }

  void aLargeNeighborPushesOutNobody() {
    // A context too large for the tier loses more by leaving than each small one: it must not even start there, or the
    // small ones go first and then the large one cannot stay either.
    const Snapshot snapshot = one_large_and_ten_small(1000);
    for (const char* text :
         {"evicpress", "evicpress(start=quality)", "evicpress(drop=per_byte)", "evicpress(drop=best)"})
      QCOMPARE(policy(text)->plan(snapshot).used_bytes[0], 1000ULL);
  }

  void whereThereIsRoomSomethingIsStored() {
    // Entries of up to 2.09 MiB, none of which fits the fast tier, some the slow one.
    Snapshot snapshot = one_large_and_ten_small(1 << 20);
    snapshot.tiers.push_back({"ssd", 2 << 20, {0, 1e8, 0, 0}, false});
    for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
      ContextState& context = snapshot.contexts[i];
      context.tokens = 1000 + 20 * static_cast<int>(i);
      context.full_bytes = static_cast<std::uint64_t>((1.74 + 0.035 * static_cast<double>(i)) * (1 << 20));
      auto profile = std::make_shared<ContextProfile>();
      profile->points.push_back({"none", 0, 1, 1, 1, 1, context.full_bytes, context.tokens});
      context.profile = profile;
    }
    for (const char* text :
         {"evicpress", "evicpress(start=quality)", "evicpress(drop=per_byte)", "evicpress(prices=lp)",
          "evicpress(drop=best)", "evicpress(drop=best,prices=lp)", "optimal"}) {
      const Plan plan = policy(text)->plan(snapshot);
      QVERIFY2(plan.used_bytes[1] > (1 << 20) && plan.used_bytes[1] <= (2 << 20), text);
    }
  }

  void whatFitsAndGainsIsNeverAllLeftOut() {
    Random random(19);
    int checked = 0;
    for (int i = 0; i < 2000; ++i) {
      const Snapshot snapshot = random_snapshot(
          random,
          {.contexts = 1 + random.below(12), .tiers = 1 + random.below(3), .methods = random.below(3), .fractions = 2});
      bool gains = false;
      for (const ContextState& context : snapshot.contexts)
        for (std::size_t t = 0; t < snapshot.tiers.size(); ++t)
          for (const ProfilePoint& point : context.profile->points)
            gains = gains || (point.bytes <= snapshot.tiers[t].budget_bytes &&
                              utility_of(snapshot, context, &point, static_cast<int>(t)) >
                                  utility_of(snapshot, context, nullptr, not_stored) + 1e-9);
      if (!gains) continue;
      ++checked;
      for (const char* text : {"evicpress", "evicpress(drop=per_byte)"}) {
        const Plan plan = policy(text)->plan(snapshot);
        QVERIFY2(std::ranges::any_of(plan.used_bytes, [](std::uint64_t bytes) { return bytes > 0; }),
                 qPrintable(QString("problem %1, %2").arg(i).arg(text)));
      }
    }
    QVERIFY(checked > 500);
  }

  void roomForTheLargeNeighborNeverLowersTotalUtility_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"evicpress(drop=per_byte)", "evicpress(drop=best)"}) QTest::newRow(text) << text;
  }
  void roomForTheLargeNeighborNeverLowersTotalUtility() {
    // Where a planner that leaves out what cannot fit goes wrong: one byte more lets the large one in, the small ones
    // out.
    QFETCH(QString, text);
    const auto planner = policy(text.toUtf8().constData());
    double before = -std::numeric_limits<double>::infinity();
    for (std::uint64_t budget = 0; budget <= 2100; ++budget) {
      const double utility = planner->plan(one_large_and_ten_small(budget)).total_utility;
      QVERIFY2(utility >= before - 1e-9,
               qPrintable(QString("at %1 bytes: %2 fell to %3").arg(budget).arg(before).arg(utility)));
      before = utility;
    }
  }

  void pinnedContextsStay() {
    Random random(15);
    for (int i = 0; i < 500; ++i) {
      const Snapshot snapshot = random_snapshot(random, {.contexts = 12, .placed = true, .unprofiled = true});
      const Plan plan = policy("evicpress")->plan(snapshot);
      for (std::size_t c = 0; c < snapshot.contexts.size(); ++c) {
        const ContextState& context = snapshot.contexts[c];
        if (context.pinned) QVERIFY(plan.contexts[c].configuration == context.placement);
        if (context.archived || !plan.contexts[c].configuration.stored()) continue;
        QCOMPARE(plan.contexts[c].configuration.method, context.placement.method);
        QCOMPARE(plan.contexts[c].configuration.removed_fraction, context.placement.removed_fraction);
      }
    }
  }

  void onlyCandidatesAreChosen() {
    Random random(16);
    Snapshot snapshot = random_snapshot(random, {.contexts = 12, .methods = 3, .fractions = 4});
    snapshot.candidates.methods = {"m1"};
    snapshot.candidates.fractions = {0.4, 0.8};
    for (const PlannedContext& planned : policy("evicpress")->plan(snapshot).contexts) {
      const Configuration& c = planned.configuration;
      QVERIFY(c.method == "none" || c.method == "m1");
      QVERIFY(c.removed_fraction == 0 || std::fabs(c.removed_fraction - 0.4) < 1e-9 ||
              std::fabs(c.removed_fraction - 0.8) < 1e-9);
    }
  }

  void anUnprofiledContextIsTakenUncompressedAndSaysSo() {
    Random random(17);
    Snapshot snapshot = random_snapshot(random, {.contexts = 3, .tiers = 1});
    snapshot.tiers[0].budget_bytes = 1ULL << 40;
    snapshot.contexts[1].profile = nullptr;
    snapshot.contexts[1].frequency = 1;
    const Plan plan = policy("evicpress")->plan(snapshot);
    const double mean =
        (snapshot.contexts[0].profile->points[0].quality + snapshot.contexts[2].profile->points[0].quality) / 2;
    QCOMPARE(plan.contexts[1].configuration.method, std::string("none"));
    QVERIFY(std::fabs(plan.contexts[1].quality - mean) < 1e-12);
    QVERIFY(plan.contexts[1].quality_assumed);
    QVERIFY(plan.contexts[1].reason.find("assumed") != std::string::npos);
    QVERIFY(!plan.contexts[0].quality_assumed);
  }

  void planningIsDeterministic() {
    Random random(18);
    for (int i = 0; i < 50; ++i) {
      const Snapshot snapshot = random_snapshot(random, {.contexts = 30, .placed = true, .unprofiled = true});
      const Plan a = policy("evicpress")->plan(snapshot), b = policy("evicpress")->plan(snapshot);
      QCOMPARE(a.total_utility, b.total_utility);
      for (std::size_t c = 0; c < a.contexts.size(); ++c) {
        QVERIFY(a.contexts[c].configuration == b.contexts[c].configuration);
        QCOMPARE(a.contexts[c].reason, b.contexts[c].reason);
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(MinDropTest)

}  // namespace min_drop_test

#include "min_drop_test.moc"
