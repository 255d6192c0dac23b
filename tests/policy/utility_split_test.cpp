// links: kv_base
// The parts of a utility: their sum is what the planner used, and with the displacement it is the change of whole
// plans, against models written out again and plans made around a pinned context.
#include "core/policy/explain/utility_split.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/policy/utility.h"
#include "tests/policy/crowded_snapshot.h"
#include "tests/support/test_program.h"

namespace utility_split_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::shared_ptr<const Policy> policy_of(const char* text) { return *make_policy(text); }

const ProfilePoint* point_in(const ContextState& context, const Configuration& c) {
  return c.stored() ? find_point(context, c.method, c.removed_fraction) : nullptr;
}

}  // namespace

class UtilitySplitTest : public QObject {
  Q_OBJECT
 private slots:
  void theSumIsTheUtilityThatThePlannerUsed_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"evicpress", "evicpress(drop=per_byte)", "evicpress(quality=raw)", "optimal"})
      QTest::newRow(text) << text;
  }
  void theSumIsTheUtilityThatThePlannerUsed() {
    QFETCH(QString, text);
    const auto policy = policy_of(text.toUtf8().constData());
    int choices = 0, others = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const Snapshot s =
          steady_state(random_snapshot(random, {.contexts = 7, .tiers = 1 + seed % 3, .placed = seed % 2 == 0}));
      const Plan plan = policy->plan(s);
      for (std::size_t i = 0; i < s.contexts.size(); ++i) {
        const auto decision = decide(s, *policy, i);
        QVERIFY(decision.has_value());
        auto splits = split_utilities(*decision);
        QCOMPARE(splits.empty(), !(s.contexts[i].frequency > 0));
        QVERIFY(add_displacements(s, *policy, *decision, splits));
        for (const UtilitySplit& split : splits) {
          QVERIFY(std::fabs(split.own() - split.alternative.utility) < 1e-9);
          if (split.alternative.chosen) {
            ++choices;
            QVERIFY(std::fabs(split.own() - plan.contexts[i].utility) < 1e-9);
            QCOMPARE(split.displacement_term.value_or(-1), 0.0);
            continue;
          }
          ++others;
          // The models again: at alpha 0 a utility is what TTFT costs, and what is left is what quality earns.
          const Configuration& c = split.alternative.configuration;
          const ProfilePoint* point = point_in(s.contexts[i], c);
          if (c.stored() && point == nullptr) continue;  // no measured point: the quality is estimated
          Snapshot without = s;
          without.alpha = 0;
          const double cost = utility_of(without, s.contexts[i], point, c.tier);
          QVERIFY(std::fabs(split.ttft_term - cost) < 1e-9);
          QVERIFY(std::fabs(split.quality_term - (utility_of(s, s.contexts[i], point, c.tier) - cost)) < 1e-9);
        }
      }
    }
    QVERIFY(choices > 150 && others > 300);
  }

  void withDisplacementItIsTheChangeOfWholePlans() {
    int displaced = 0, too_large = 0, freed = 0;
    const auto policy = policy_of("evicpress");
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const Plan plan = policy->plan(s);
      const std::size_t index = seed % s.contexts.size();
      const auto decision = decide(s, *policy, index);
      auto splits = split_utilities(*decision);
      QVERIFY(std::ranges::none_of(splits, [](const UtilitySplit& split) { return !!split.displacement_term; }));
      QVERIFY(add_displacements(s, *policy, *decision, splits));
      for (const UtilitySplit& split : splits) {
        const Alternative& a = split.alternative;
        if (split.too_large) {
          ++too_large;
          QVERIFY(!split.displacement_term);
          QVERIFY(a.bytes > s.tiers[static_cast<std::size_t>(a.configuration.tier)].budget_bytes);
          continue;
        }
        if (a.chosen) continue;
        Snapshot held = s;
        held.contexts[index].placement = a.configuration;
        held.contexts[index].stored_bytes = a.bytes;
        held.contexts[index].pinned = true;
        const Plan around = policy->plan(held);
        QVERIFY(std::fabs(split.net() - decision->choice().utility - (around.total_utility - plan.total_utility)) <
                1e-9);
        double moved = 0;
        for (const Instead::Moved& m : split.moved) {
          QVERIFY(m.context != index && m.to == around.contexts[m.context].configuration);
          moved += m.utility_change;
        }
        QVERIFY(std::fabs(moved - *split.displacement_term) < 1e-9);
        displaced += *split.displacement_term < 0;
        freed += *split.displacement_term > 0;
      }
    }
    QVERIFY2(displaced > 10 && freed > 3, qPrintable(QString("%1 %2").arg(displaced).arg(freed)));
    QVERIFY(too_large < 90);
  }

  void theBestFewOfEachTierAndTheChoiceAreSplit() {
    const auto policy = policy_of("evicpress");
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const auto decision = decide(s, *policy, seed % s.contexts.size());
      for (const std::size_t per_tier : {std::size_t{1}, std::size_t{3}}) {
        auto splits = split_utilities(*decision, per_tier);
        std::map<int, std::size_t> of_tier;
        std::size_t chosen = 0;
        for (const UtilitySplit& split : splits) {
          chosen += split.alternative.chosen;
          if (split.alternative.chosen) continue;
          const int tier = split.alternative.configuration.tier;
          ++of_tier[tier];
          QVERIFY(!split.alternative.dominated);
          std::size_t better = 0;
          for (const Alternative& a : decision->alternatives)
            better +=
                !a.chosen && !a.dominated && a.configuration.tier == tier && a.utility > split.alternative.utility;
          QVERIFY(better < per_tier);
        }
        QCOMPARE(chosen, std::size_t{1});
        for (const auto& [tier, count] : of_tier) QVERIFY(count <= per_tier);
        const bool stored = decision->choice().configuration.stored();
        QCOMPARE(of_tier.contains(not_stored), stored);  // else it is the choice
        const auto worse = [](const UtilitySplit& a, const UtilitySplit& b) {
          return a.too_large != b.too_large ? b.too_large : a.net() > b.net();
        };
        QVERIFY(std::ranges::is_sorted(splits, worse));
        QVERIFY(add_displacements(s, *policy, *decision, splits));
        QVERIFY(std::ranges::is_sorted(splits, worse));
      }
    }
  }

  void whatIsNotPlannedHasNoDisplacement() {
    Snapshot s = crowded_snapshot(4);
    const auto planner = policy_of("evicpress"), follower = policy_of("lru");
    const auto decision = decide(s, *planner, 2);
    auto splits = split_utilities(*decision);
    QVERIFY(splits.size() > 2);
    QVERIFY(!add_displacements(s, *planner, *decision, splits, [] { return true; }));
    QVERIFY(std::ranges::none_of(splits, [](const UtilitySplit& split) { return !!split.displacement_term; }));
    const auto followed = decide(s, *follower, 2);
    auto own = split_utilities(*followed);
    QVERIFY(add_displacements(s, *follower, *followed, own));
    QVERIFY(!own.empty());
    QVERIFY(std::ranges::none_of(own, [](const UtilitySplit& split) { return !!split.displacement_term; }));
    s.contexts[2].frequency = 0;
    QVERIFY(split_utilities(*decide(s, *planner, 2)).empty());
  }

  void bothAreWorthTheSameAtTheirAlpha() {
    Alternative fast, good;
    fast.quality = 0.5;
    fast.ttft_seconds = 0.1;
    good.quality = 0.75;
    good.ttft_seconds = 0.6;
    QCOMPARE(equal_utility_alpha(fast, good).value_or(0), 2.0);  // 0.5 s for a quarter of quality
    QCOMPARE(equal_utility_alpha(good, fast).value_or(0), 2.0);
    good.ttft_seconds = 0.05;  // better and faster: at no alpha
    QVERIFY(!equal_utility_alpha(fast, good));
    good.quality = 0.5;
    QVERIFY(!equal_utility_alpha(fast, good));
  }
};

KV_TEST_GUILESS_MAIN(UtilitySplitTest)

}  // namespace utility_split_test

#include "utility_split_test.moc"
