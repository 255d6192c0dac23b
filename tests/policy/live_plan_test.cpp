// links: kv_base
// The plan that is kept between two steps decides as one built from scratch, whatever changed in between, and follows
// what is small instead of planning from scratch.
#include "core/policy/live_plan.h"

#include <QtTest>

#include "core/policy/access_statistics.h"
#include "core/policy/policies.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace live_plan_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// One thing that happens between two steps.
void something_happens(Random& random, Snapshot& s, std::uint64_t& requests) {
  ContextState& context = s.contexts[random.below(s.contexts.size())];
  switch (random.below(10)) {
    case 0:
      s.alpha = std::pow(10.0, -2 + 4 * random.uniform());
      break;
    case 1:
      s.tiers[random.below(s.tiers.size())].budget_bytes = random.below(4'000'000);
      break;
    case 2:
      context.archived = !context.archived;
      break;
    case 3:
      context.pinned = !context.pinned && context.placement.stored();
      break;
    case 4:
      if (context.profile) {
        auto profile = std::make_shared<ContextProfile>(*context.profile);
        for (ProfilePoint& point : profile->points)
          if (point.removed_fraction > 0) point.quality *= 0.5 + 0.5 * random.uniform();
        context.profile = profile;
      }
      break;
    case 5:
      s.tiers.back().model.bytes_per_second *= 0.5 + random.uniform();
      break;
    default:
      note_request(s, static_cast<std::size_t>(&context - s.contexts.data()), ++requests, 16);
  }
}

bool same_actions(const std::vector<PlacementAction>& a, const std::vector<PlacementAction>& b) {
  return std::ranges::equal(a, b, [](const PlacementAction& one, const PlacementAction& other) {
    return one.context == other.context && one.kind == other.kind && one.from == other.from && one.to == other.to &&
           one.bytes_before == other.bytes_before && one.bytes_after == other.bytes_after &&
           std::fabs(one.utility_drop - other.utility_drop) <= 1e-6 * (1e-6 + std::fabs(other.utility_drop));
  });
}

}  // namespace

class LivePlanTest : public QObject {
  Q_OBJECT
 private slots:
  void decidesAsIfPlannedAgain_data() {
    QTest::addColumn<QString>("policy");
    for (const char* text : {"evicpress", "evicpress(start=quality)", "evicpress(drop=per_byte)",
                             "evicpress(drop=best)", "evicpress(prices=lp)", "evicpress(quality=raw)"})
      QTest::newRow(text) << text;
  }
  void decidesAsIfPlannedAgain() {
    QFETCH(QString, policy);
    const auto made = make_policy(policy.toStdString());
    QVERIFY(made);
    Random random(71);
    std::size_t actions = 0, steps = 0;
    std::uint64_t followed = 0, from_scratch = 0;
    for (int world = 0; world < 20; ++world) {
      PolicyState state{random_snapshot(random, {.contexts = 2 + random.below(50),
                                                 .tiers = 1 + random.below(3),
                                                 .methods = 2,
                                                 .fractions = 4,
                                                 .placed = true,
                                                 .unprofiled = world % 4 == 0})};
      std::uint64_t requests = 100;
      for (int step = 0; step < 60; ++step) {
        for (auto times = random.below(4); times > 0; --times) something_happens(random, state.snapshot, requests);
        const PolicyEvent event{.kind = PolicyEvent::Kind::settings_changed, .context = {}};
        const Plan whole = (*made)->plan(state.snapshot);
        const auto [fresh, once] = (*made)->step(state, event);
        const auto [kept, planned] = (*made)->advance(state, event);
        // The summary is that of the plan: exactly from scratch, and of the kept one as exactly as its total is known.
        QVERIFY(once && planned && once->alpha == state.snapshot.alpha && planned->alpha == state.snapshot.alpha);
        QVERIFY(once->utility == whole.total_utility && once->mean_quality == whole.mean_quality &&
                once->mean_ttft_seconds == whole.mean_ttft_seconds);
        QVERIFY2(std::fabs(planned->utility - whole.total_utility) <= 1e-6 * (1 + std::fabs(whole.total_utility)),
                 qPrintable(QString("%1 and %2").arg(planned->utility).arg(whole.total_utility)));
        QVERIFY2(same_actions(kept, fresh), qPrintable(QString("world %1, step %2: %3 and %4 actions")
                                                           .arg(world)
                                                           .arg(step)
                                                           .arg(kept.size())
                                                           .arg(fresh.size())));
        // As in life: not all of it comes true.
        for (const PlacementAction& action : kept)
          if (random.below(10) != 0) apply(state.snapshot, action);
        actions += kept.size();
        ++steps;
      }
      const auto* memory = dynamic_cast<const LivePlan*>(state.memory.get());
      QVERIFY(memory != nullptr);
      followed += memory->contexts_followed();
      from_scratch += memory->plans_from_scratch();
    }
    QVERIFY2(actions > 500, qPrintable(QString::number(actions)));
    QVERIFY(from_scratch <= steps);
    if (policy != "evicpress(prices=lp)")
      QVERIFY2(followed > 200 && from_scratch < steps * 3 / 4,
               qPrintable(QString("%1 followed, %2 from scratch").arg(followed).arg(from_scratch)));
  }

  void aRequestChangesOneContext() {
    Random random(72);
    PolicyState state{random_snapshot(random, {.contexts = 500, .tiers = 2, .methods = 2, .fractions = 4})};
    for (TierState& tier : state.snapshot.tiers) tier.budget_bytes = 60'000'000;
    LivePlan plan({});
    plan.follow(state.snapshot);
    for (std::uint64_t request = 1; request <= 300; ++request) {
      note_request(state.snapshot, random.below(500), request);
      plan.follow(state.snapshot);
    }
    QCOMPARE(plan.plans_from_scratch(), std::uint64_t{1});
    QCOMPARE(plan.contexts_followed(), std::uint64_t{300});
  }

  // What changes leave behind does not grow without end.
  void longLivesAreSwept() {
    Random random(73);
    PolicyState state{random_snapshot(random, {.contexts = 20, .tiers = 2, .methods = 2, .fractions = 4})};
    LivePlan plan({});
    for (std::uint64_t request = 1; request <= 5000; ++request) {
      note_request(state.snapshot, random.below(20), request, 16);
      plan.follow(state.snapshot);
    }
    QVERIFY2(plan.plans_from_scratch() >= 4 && plan.plans_from_scratch() < 200,
             qPrintable(QString::number(plan.plans_from_scratch())));
  }

  void anotherPolicysMemoryIsNotTaken() {
    Random random(74);
    PolicyState state{random_snapshot(random, {.contexts = 5})};
    const auto plan = take_live_plan(state, {});
    state.memory = plan;
    PlanRules other;
    other.drop = DropMeasure::per_byte;
    QVERIFY(take_live_plan(state, other) != plan);
    QVERIFY(state.memory == nullptr);
  }
};

KV_TEST_GUILESS_MAIN(LivePlanTest)

}  // namespace live_plan_test

#include "live_plan_test.moc"
