// links: kv_base
// Why a context is where it is, against models written out again, exhaustive search and plans made on both sides.
#include "core/policy/explain/decision.h"

#include <QtTest>

#include "core/policy/explain/decision_search.h"
#include "core/policy/explain/decision_text.h"
#include "core/policy/explain/plan_moves.h"
#include "tests/policy/crowded_snapshot.h"
#include "tests/support/test_program.h"

namespace decision_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::shared_ptr<const Policy> policy(const char* text) { return *make_policy(text); }

const ProfilePoint* point_of(const ContextState& context, const Configuration& c) {
  for (const ProfilePoint& point : context.profile->points)
    if (point.method == c.method && std::fabs(point.removed_fraction - c.removed_fraction) < 1e-9) return &point;
  return nullptr;
}

double value_of(const Alternative& a, double alpha) { return alpha * a.quality - a.ttft_seconds; }

/// The best total of all assignments with contexts[held] in one configuration.
double exhaustive_with(const Snapshot& s, std::size_t held, const Configuration& configuration) {
  Snapshot others = s;
  const ContextState context = s.contexts[held];
  others.contexts.erase(others.contexts.begin() + static_cast<std::ptrdiff_t>(held));
  const ProfilePoint* point = configuration.stored() ? point_of(context, configuration) : nullptr;
  if (point) others.tiers[static_cast<std::size_t>(configuration.tier)].budget_bytes -= point->bytes;
  return exhaustive_best(others) + utility_of(s, context, point, configuration.tier);
}

}  // namespace

class DecisionTest : public QObject {
  Q_OBJECT
 private slots:
  void alternativesAreEveryFormOnEveryTierAndNone() {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const std::size_t index = seed % s.contexts.size();
      const ContextState& context = s.contexts[index];
      const auto all = alternatives(s, index, {});
      QCOMPARE(all.size(), context.profile->points.size() * s.tiers.size() + 1);
      for (const Alternative& a : all) {
        const ProfilePoint* point = a.configuration.stored() ? point_of(context, a.configuration) : nullptr;
        QCOMPARE(point != nullptr, a.configuration.stored());
        QCOMPARE(a.bytes, point ? point->bytes : 0);
        QVERIFY(std::fabs(a.utility - utility_of(s, context, point, a.configuration.tier)) < 1e-9);
        bool beaten = false;
        for (const Alternative& b : all)
          beaten = beaten || (a.configuration.stored() && b.configuration.tier == a.configuration.tier &&
                              value_of(b, s.alpha) >= value_of(a, s.alpha) && b.bytes <= a.bytes &&
                              !(b.configuration == a.configuration));
        QCOMPARE(a.dominated, beaten);
      }
      QVERIFY(!all.back().configuration.stored() && all.back().chosen);
    }
  }
  void onlyCandidatesAreAlternatives() {
    Snapshot s = crowded_snapshot(5);
    s.candidates.methods = {"m1"};
    s.candidates.fractions = {0.5};
    QCOMPARE(alternatives(s, 0, {}).size(), std::size_t{2 * 2 + 1});  // whole and m1 without half, on two tiers
    // A stored form that is no candidate is shown all the same, and is the choice.
    const auto all = alternatives(s, 0, {1, "m0", 0.25});
    QCOMPARE(all.size(), std::size_t{6});
    QCOMPARE(std::ranges::count_if(all, [](const Alternative& a) { return a.chosen; }), 1);
  }
  void theChoiceIsThePlansAndIsNeverDominated() {
    for (const char* text : {"evicpress", "evicpress(drop=per_byte)", "optimal"})
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Snapshot s = crowded_snapshot(seed, 8);
        const Plan plan = policy(text)->plan(s);
        for (std::size_t i = 0; i < s.contexts.size(); ++i) {
          const auto decision = decide(s, *policy(text), i);
          QVERIFY(decision.has_value());
          QVERIFY(decision->choice().configuration == plan.contexts[i].configuration);
          QVERIFY(std::fabs(decision->choice().utility - plan.contexts[i].utility) < 1e-9);
          QVERIFY(!decision->choice().dominated);
          QCOMPARE(decision->choice().utility_drop, 0.0);
          QCOMPARE(decision->reason, plan.contexts[i].reason);
        }
      }
  }
  void theBestOtherWayIsTakenByForce() {
    int displaced = 0, too_large = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const auto planner = policy("evicpress");
      const Plan plan = planner->plan(s);
      const std::size_t index = seed % s.contexts.size();
      const auto decision = decide(s, *planner, index);
      QVERIFY(decision && decision->instead && decision->instead->planned);
      const Instead& instead = *decision->instead;
      const Alternative& other = decision->alternatives[instead.alternative];
      for (std::size_t i = 0; i < decision->alternatives.size(); ++i)
        if (i != decision->chosen) QVERIFY(decision->alternatives[i].utility <= other.utility);
      QCOMPARE(instead.own_change, other.utility - decision->choice().utility);
      if (instead.too_large) {
        ++too_large;
        QVERIFY(other.bytes > s.tiers[static_cast<std::size_t>(other.configuration.tier)].budget_bytes);
        continue;
      }
      Snapshot held = s;
      held.contexts[index].placement = other.configuration;
      held.contexts[index].stored_bytes = other.bytes;
      held.contexts[index].pinned = true;
      const Plan around = planner->plan(held);
      QVERIFY(std::fabs(instead.own_change + instead.others_change - (around.total_utility - plan.total_utility)) <
              1e-9);
      double moved = 0;
      for (const Instead::Moved& m : instead.moved) {
        QVERIFY(m.context != index);
        QVERIFY(m.to == around.contexts[m.context].configuration && m.from == plan.contexts[m.context].configuration);
        moved += m.utility_change;
      }
      QVERIFY(std::fabs(moved - instead.others_change) < 1e-9);  // who does not move loses nothing
      QVERIFY(std::ranges::is_sorted(instead.moved, {}, &Instead::Moved::utility_change));
      displaced += !instead.moved.empty();
    }
    QVERIFY(displaced > 5);
    QVERIFY(too_large < 40);
  }
  void besideTheOptimumNothingGainsAllInAll() {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Snapshot s = crowded_snapshot(seed, 4);
      s.tiers[0].budget_bytes *= 2;  // so that one entry fits
      s.candidates.methods = {"m1"};
      for (ContextState& context : s.contexts) {  // for the exhaustive search, which tries every point
        auto profile = std::make_shared<ContextProfile>(*context.profile);
        std::erase_if(profile->points,
                      [](const ProfilePoint& p) { return p.method == "m0" || p.removed_fraction > 0.6; });
        context.profile = profile;
      }
      const auto planner = policy("optimal");
      for (std::size_t i = 0; i < s.contexts.size(); ++i) {
        const auto decision = decide(s, *planner, i);
        QVERIFY(decision && decision->instead);
        if (decision->instead->too_large) continue;
        const double all_in_all = decision->instead->own_change + decision->instead->others_change;
        const double best = exhaustive_best(s);
        const double held = exhaustive_with(s, i, decision->alternatives[decision->instead->alternative].configuration);
        QVERIFY2(
            std::fabs(held - best - all_in_all) < 1e-7 * (1 + std::fabs(best)),
            qPrintable(
                QString("seed %1, context %2: %3 instead of %4").arg(seed).arg(i).arg(all_in_all).arg(held - best)));
        ++compared;
      }
    }
    QVERIFY(compared > 60);
  }
  void crossingsAreWhereUtilitiesAreEqual() {
    int above = 0, below = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const std::size_t index = seed % s.contexts.size();
      const auto decision = decide(s, *policy("evicpress"), index);
      const Alternative& choice = decision->choice();
      // Walks away from the present alpha until another form in memory becomes better that was not before.
      const auto walk = [&](double factor) {
        for (double alpha = s.alpha; alpha > s.alpha * 1e-12 && alpha < s.alpha * 1e12; alpha *= factor)
          for (const Alternative& a : decision->alternatives) {
            const bool comparable = !a.configuration.stored() || !choice.configuration.stored() ||
                                    a.configuration.tier == choice.configuration.tier;
            if (comparable && value_of(a, s.alpha) <= value_of(choice, s.alpha) &&
                value_of(a, alpha) > value_of(choice, alpha))
              return alpha;
          }
        return 0.0;
      };
      const double up = walk(1.0005), down = walk(1 / 1.0005);
      QCOMPARE(decision->above.has_value(), up > 0);
      QCOMPARE(decision->below.has_value(), down > 0);
      for (const auto& [crossing, walked] : {std::pair{decision->above, up}, {decision->below, down}}) {
        if (!crossing) continue;
        QVERIFY(std::fabs(crossing->alpha / walked - 1) < 0.0011);
        const Alternative& other = decision->alternatives[crossing->alternative];
        QVERIFY(std::fabs(value_of(other, crossing->alpha) - value_of(choice, crossing->alpha)) < 1e-9);
      }
      above += up > 0;
      below += down > 0;
    }
    QVERIFY(above > 10 && below > 10);
  }
  void whatWasFoundByPlanningIsPlannedSo_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"evicpress", "evicpress(drop=best)", "adaptcache"}) QTest::newRow(text) << text;
  }
  void whatWasFoundByPlanningIsPlannedSo() {
    QFETCH(QString, text);
    const auto planner = policy(text.toUtf8().constData());
    std::map<std::pair<Lever, bool>, int> found;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const std::size_t index = seed % s.contexts.size();
      const Configuration choice = planner->plan(s).contexts[index].configuration;
      const auto at = [&](const Turning& turning, double value) {
        Snapshot changed = s;
        if (turning.lever == Lever::frequency) changed.contexts[index].frequency = value;
        if (turning.lever == Lever::alpha) changed.alpha = value;
        if (turning.lever == Lever::budget)
          changed.tiers[static_cast<std::size_t>(turning.tier)].budget_bytes = static_cast<std::uint64_t>(value);
        return planner->plan(changed).contexts[index].configuration;
      };
      std::size_t reported = 0;
      const auto turnings = find_turnings(s, *planner, index, {}, [&](const Turning&) { ++reported; });
      QCOMPARE(reported, turnings.size());
      for (const Turning& turning : turnings) {
        QVERIFY(turning.plans > 0 && turning.plans < 80);
        QCOMPARE(turning.rises, turning.at > turning.now);
        if (!turning.found) {
          if (turning.lever == Lever::alpha) QVERIFY(at(turning, turning.at) == choice);
          continue;
        }
        ++found[{turning.lever, turning.rises}];
        const double low = std::min(turning.still, turning.at), high = std::max(turning.still, turning.at);
        QVERIFY(high / low <= 1.0101);
        QVERIFY(at(turning, turning.at) == turning.to);
        QVERIFY(!(turning.to == choice));
        if (turning.lever == Lever::alpha)
          QVERIFY(at(turning, turning.still) == choice);
        else if (turning.rises && choice.tier != 0) {
          QVERIFY(turning.to.stored());
          QVERIFY(!choice.stored() || turning.to.tier < choice.tier);
          const Configuration still = at(turning, turning.still);
          QVERIFY(!still.stored() || (choice.stored() && still.tier >= choice.tier));
        }
      }
    }
    QVERIFY((found[{Lever::frequency, true}] > 2));
    if (text != "adaptcache")
      QVERIFY((found[{Lever::frequency, false}] > 2));  // it takes contexts in by their last use
    QVERIFY((found[{Lever::budget, true}] > 2));
    QVERIFY((found[{Lever::budget, false}] > 2));
    QVERIFY((found[{Lever::alpha, true}] + found[{Lever::alpha, false}] > 2));
  }
  void searchesEndWhenGivenUp() {
    const Snapshot s = crowded_snapshot(3);
    int asked = 0;
    const auto turnings = find_turnings(s, *policy("evicpress"), 0, [&] { return ++asked > 10; });
    QVERIFY(asked < 20);
    QVERIFY(turnings.size() < 2);
    QVERIFY(!decide(s, *policy("evicpress"), 0, [] { return true; }));
  }
  void aPolicyThatFollowsEventsIsNotAskedForPlans() {
    Snapshot s = crowded_snapshot(4);
    s.contexts[2].placement = {1, "none", 0};
    s.contexts[2].stored_bytes = s.contexts[2].full_bytes;
    const auto decision = decide(s, *policy("lru"), 2);
    QVERIFY(decision && !decision->weighs_utility);
    QVERIFY((decision->choice().configuration == Configuration{1, "none", 0}));
    QVERIFY(decision->instead && !decision->instead->planned && decision->instead->moved.empty());
    QVERIFY(find_turnings(s, *policy("lru"), 2).empty());
    QVERIFY(decision_text(s, *decision).at(1).find("does not weigh utility") != std::string::npos);
  }
  void whatNobodyAsksForHasNoBetterWay() {
    Snapshot s = crowded_snapshot(4);
    s.contexts[2].frequency = 0;
    const auto decision = decide(s, *policy("evicpress"), 2);
    QVERIFY(decision && !decision->choice().configuration.stored() && !decision->instead);
    QVERIFY(find_turnings(s, *policy("evicpress"), 2).empty());
    QCOMPARE(decision_text(s, *decision).back(), std::string("Nothing changes until its first request."));
    s.contexts[2].frequency = 1;
    QVERIFY(!find_turnings(s, *policy("evicpress"), 2).empty());
    for (const std::string& sentence : decision_text(s, *decide(s, *policy("evicpress"), 2)))
      QVERIFY(sentence.find("first request") == std::string::npos);
  }
  void movesAreTheDifferenceOfTwoPlans() {
    int moves = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      Snapshot first = s, second = s;
      first.alpha = s.alpha / 3;
      second.alpha = s.alpha * 5;
      const Plan a = policy("evicpress")->plan(first), b = policy("evicpress")->plan(second);
      const auto difference = moves_between(s, *policy("evicpress"), first.alpha, second.alpha);
      QVERIFY(difference.has_value());
      QCOMPARE(difference->quality_before, a.mean_quality);
      QCOMPARE(difference->ttft_after_seconds, b.mean_ttft_seconds);
      std::size_t differ = 0;
      double kept = 0;  // what the first plan is worth at the second alpha
      for (std::size_t i = 0; i < s.contexts.size(); ++i) {
        differ += !(a.contexts[i].configuration == b.contexts[i].configuration);
        kept += (second.alpha * a.contexts[i].quality - a.contexts[i].ttft_seconds) * s.contexts[i].frequency;
      }
      QCOMPARE(difference->moves.size(), differ);
      QVERIFY(std::fabs(difference->utility_change - (b.total_utility - kept)) < 1e-9 * (1 + std::fabs(kept)));
      for (std::size_t i = 0; i < difference->moves.size(); ++i) {
        const ContextMove& move = difference->moves[i];
        QVERIFY(move.from == a.contexts[move.context].configuration &&
                move.to == b.contexts[move.context].configuration);
        QCOMPARE(move.bytes_change, static_cast<std::int64_t>(b.contexts[move.context].bytes) -
                                        static_cast<std::int64_t>(a.contexts[move.context].bytes));
        if (i > 0) QVERIFY(std::fabs(move.utility_change) <= std::fabs(difference->moves[i - 1].utility_change));
      }
      moves += static_cast<int>(differ);
    }
    QVERIFY(moves > 60);
    QVERIFY(!moves_between(crowded_snapshot(1), *policy("lru"), 1, 2));
    QVERIFY(moves_between(crowded_snapshot(1), *policy("evicpress"), 1, 1)->moves.empty());
  }
  // At once, after the first plan, and anywhere on the way: what was found until then, and nothing made up.
  void aSearchMayBeGivenUpAtAnyMoment() {
    const Snapshot s = crowded_snapshot(3);
    const auto all = find_turnings(s, *policy("evicpress"), 1);
    QVERIFY(!all.empty());
    for (int plans = 0; plans < 12; ++plans) {
      int left = plans;
      const auto some = find_turnings(s, *policy("evicpress"), 1, [&] { return left-- <= 0; });
      QVERIFY(some.size() <= all.size());
      if (plans < 2) QVERIFY(some.empty());
      for (std::size_t i = 0; i < some.size(); ++i)
        QVERIFY(some[i].lever == all[i].lever && some[i].at == all[i].at && some[i].to == all[i].to);
    }
  }
  void textNamesWhatIsDisplaced() {
    bool displaced = false, crossing = false, next_best = false;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Snapshot s = crowded_snapshot(seed);
      const auto decision = decide(s, *policy("evicpress"), seed % s.contexts.size());
      std::string text;
      for (const std::string& sentence : decision_text(s, *decision)) text += sentence + "\n";
      QVERIFY(text.find(s.contexts[decision->context].id + ": ") == 0);
      const Instead& instead = *decision->instead;
      if (!instead.too_large && instead.own_change > 0 && !instead.moved.empty()) {
        displaced = true;
        QVERIFY(text.find(s.contexts[instead.moved.front().context].id + " to ") != std::string::npos);
      }
      next_best = next_best || text.find("Runner-up: ") != std::string::npos;
      crossing = crossing || text.find("Ignoring other contexts, the best choice changes at α ") != std::string::npos;
    }
    QVERIFY(displaced && crossing && next_best);
    const Snapshot s = crowded_snapshot(1);
    const Turning found{.lever = Lever::budget,
                        .tier = 0,
                        .now = 1 << 20,
                        .found = true,
                        .still = 2 << 20,
                        .at = 2 << 20,
                        .to = {0, "m1", 0.5}};
    QCOMPARE(turning_text(s, found), std::string("t0 budget ≥ 2.0 MiB (now 1.0 MiB): t0, m1, 50 % removed"));
    const Turning none{.lever = Lever::frequency, .rises = false, .now = 3, .at = 0.003};
    QCOMPARE(turning_text(s, none), std::string("lowering the frequency to 0.003 would not change it (now 3)"));
  }
};

KV_TEST_GUILESS_MAIN(DecisionTest)

}  // namespace decision_test

#include "decision_test.moc"
