// links: kv_base
// Carrying out a policy's actions one after the other: no tier is above its budget at any point, and the end is the
// plan.
#include <QtTest>

#include <algorithm>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>

#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace actions_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::vector<std::uint64_t> sums(const Snapshot& snapshot) {
  std::vector<std::uint64_t> used(snapshot.tiers.size(), 0);
  for (const ContextState& context : snapshot.contexts)
    if (context.placement.tier != not_stored)
      used.at(static_cast<std::size_t>(context.placement.tier)) += context.stored_bytes;
  return used;
}

/// Applies the actions; says what is wrong with one of them, or nothing.
QString carry_out(Snapshot& snapshot, const std::vector<PlacementAction>& actions) {
  auto used = sums(snapshot);
  for (const PlacementAction& action : actions) {
    const auto index = find_context(snapshot, action.context);
    if (!index) return "an action on a context that is not there";
    const ContextState context = snapshot.contexts[*index];
    if (context.pinned) return "moves a pinned context";
    if (action.from.stored() != context.placement.stored()) return "starts from where the context is not";
    if (action.from.stored() && !(action.from == context.placement)) return "starts from where the context is not";
    if (action.bytes_before != context.stored_bytes) return "wrong bytes before";
    if (action.to.stored() && !context.archived &&
        (action.to.method != context.placement.method ||
         action.to.removed_fraction != context.placement.removed_fraction))
      return "re-makes a context without an original";
    if (action.reason.empty()) return "no reason given";
    apply(snapshot, action);
    const auto now = sums(snapshot);
    for (std::size_t t = 0; t < now.size(); ++t)
      if (now[t] > snapshot.tiers[t].budget_bytes && now[t] > used[t]) return "a tier grows above its budget";
    // A tier takes nothing that leaves it above its budget, not even a smaller entry in place of a larger one.
    if (action.to.stored()) {
      const auto tier = static_cast<std::size_t>(action.to.tier);
      if (now[tier] > snapshot.tiers[tier].budget_bytes) return "writes to a tier that is above its budget";
    }
    used = now;
  }
  return {};
}

/// A policy with each of its options drawn: what the list shown to users leaves out, and their combinations.
std::string drawn_policy(Random& random) {
  const auto one_of = [&](std::initializer_list<const char*> choices) {
    return std::string(choices.begin()[random.below(choices.size())]);
  };
  switch (random.below(4)) {
    case 0:
      return "evicpress(start=" + one_of({"utility", "quality"}) + ",drop=" + one_of({"absolute", "per_byte", "best"}) +
             ",prices=" + one_of({"none", "lp"}) + ",replan_requests=" + one_of({"0", "1", "16"}) + ")";
    case 1:
      return "adaptcache(utility=" + one_of({"described", "printed"}) + ",quality=" + one_of({"dataset", "context"}) +
             ",pool=" + one_of({"session", "paper"}) + ")";
    case 2:
      if (random.below(3) == 0) return "impress(kept=" + one_of({"0.25", "1"}) + ",chunk=" + one_of({"16", "64"}) + ")";
      return "important_fraction(kept=" + one_of({"0.25", "0.5", "0.75", "1"}) +
             ",method=" + one_of({"m0", "chunkkv(snapkv)"}) + ")";
    default:
      return "fixed(" + one_of({"m0", "knorm"}) + "," + one_of({"0.25", "0.5", "0.75"}) +
             ",eviction=" + one_of({"lru", "lfu", "s3fifo", "gdsf"}) + ")";
  }
}

/// The policy of a row, or, where a row names none, one for each problem out of a stream of its own.
class Policies {
 public:
  explicit Policies(const QString& text) {
    if (!text.isEmpty()) one_ = *make_policy(text.toStdString());
  }
  std::shared_ptr<const Policy> next() {
    if (one_) return one_;
    auto policy = *make_policy(drawn_policy(random_));
    ++drawn_[policy->name()];
    return policy;
  }
  /// How often each was drawn, by name.
  const std::map<std::string, int>& drawn() const { return drawn_; }

 private:
  std::shared_ptr<const Policy> one_;
  Random random_{20};
  std::map<std::string, int> drawn_;
};

void add_policies() {
  QTest::addColumn<QString>("text");
  for (const std::string& text : known_policies()) QTest::newRow(text.c_str()) << QString::fromStdString(text);
  QTest::newRow("drawn for each problem") << QString();
}

/// Where a change goes, as it is waiting: by the order that actions.h describes, each step by looking at all of them.
struct Waiting {
  std::size_t context = 0;
  Configuration from;
  std::uint64_t bytes = 0;
};

/// The same actions as ordered_actions(), as "context from>to", by passes over everything that waits.
std::vector<std::string> plainly_ordered(const Snapshot& snapshot, const std::vector<Target>& targets) {
  std::vector<std::uint64_t> used = used_bytes(snapshot);
  std::vector<Waiting> waiting;
  std::vector<std::string> made;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const ContextState& context = snapshot.contexts[i];
    const bool moves_only = context.placement.method == targets[i].configuration.method &&
                            context.placement.removed_fraction == targets[i].configuration.removed_fraction;
    if (context.placement.stored() || targets[i].configuration.stored())
      if (!(context.placement == targets[i].configuration) && !context.pinned &&
          (!targets[i].configuration.stored() || context.archived || (context.placement.stored() && moves_only)))
        waiting.push_back({i, context.placement, context.stored_bytes});
  }
  const auto move = [&](Waiting& change, const Configuration& to, std::uint64_t bytes) {
    if (change.from.stored()) used[static_cast<std::size_t>(change.from.tier)] -= change.bytes;
    if (to.stored()) used[static_cast<std::size_t>(to.tier)] += bytes;
    made.push_back(std::to_string(change.context) + " " + std::to_string(change.from.tier) + ">" +
                   std::to_string(to.tier));
    change.from = to;
    change.bytes = bytes;
  };
  const auto fits = [&](const Waiting& change) {
    const Target& target = targets[change.context];
    if (!target.configuration.stored()) return true;
    const auto tier = static_cast<std::size_t>(target.configuration.tier);
    const std::uint64_t own = change.from.tier == target.configuration.tier ? change.bytes : 0;
    return used[tier] - own + target.bytes <= snapshot.tiers[tier].budget_bytes;
  };
  const auto pass = [&](const std::function<bool(const Waiting&)>& may) {
    const std::size_t before = waiting.size();
    for (std::size_t i = 0; i < waiting.size();) {
      if (!may(waiting[i]) || !fits(waiting[i])) {
        ++i;
        continue;
      }
      move(waiting[i], targets[waiting[i].context].configuration, targets[waiting[i].context].bytes);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return waiting.size() < before;
  };
  (void)pass([&](const Waiting& change) { return !targets[change.context].configuration.stored(); });
  (void)pass([&](const Waiting& change) {
    const Target& target = targets[change.context];
    return target.configuration.tier == change.from.tier && target.bytes <= change.bytes;
  });
  std::ranges::stable_sort(waiting, std::ranges::greater{},
                           [&](const Waiting& change) { return targets[change.context].configuration.tier; });
  for (;;) {
    if (pass([](const Waiting&) { return true; })) continue;
    const auto picked = std::find_if(waiting.rbegin(), waiting.rend(), [&](const Waiting& change) {
      return change.from.stored() && snapshot.contexts[change.context].archived;
    });
    if (picked == waiting.rend()) return made;
    move(*picked, {}, 0);
  }
}

}  // namespace

class ActionsTest : public QObject {
  Q_OBJECT
 private slots:
  void everyPrefixKeepsTheBudgets_data() { add_policies(); }
  void everyPrefixKeepsTheBudgets() {
    QFETCH(QString, text);
    Policies policies(text);
    Random random(21);
    for (int i = 0; i < 10'000; ++i) {
      const auto policy = policies.next();
      PolicyState state{random_snapshot(random, {.contexts = 1 + random.below(15),
                                                 .tiers = 1 + random.below(3),
                                                 .methods = 1,
                                                 .fractions = 3,
                                                 .placed = true,
                                                 .unprofiled = true})};
      if (i % 2 == 1) store_inputs_and_serve_hybrid(state.snapshot);
      const Plan plan = policy->plan(state.snapshot);
      const Snapshot before = state.snapshot;
      const auto actions = policy->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions;
      const QString wrong = carry_out(state.snapshot, actions);
      QVERIFY2(wrong.isEmpty(),
               (policy->name() + ", problem " + std::to_string(i) + ": " + wrong.toStdString()).c_str());
      bool all_free = true;  // nothing that may not be moved or re-made as one likes
      for (const ContextState& context : before.contexts) all_free = all_free && !context.pinned && context.archived;
      if (!all_free) continue;
      QVERIFY2(!over_budget(state.snapshot), policy->name().c_str());
      if (!policy->is_planner()) continue;
      for (std::size_t c = 0; c < plan.contexts.size(); ++c)
        QVERIFY2(plan.contexts[c].configuration == state.snapshot.contexts[c].placement ||
                     (!plan.contexts[c].configuration.stored() && !state.snapshot.contexts[c].placement.stored()),
                 policy->name().c_str());
    }
    if (!text.isEmpty()) return;
    QCOMPARE(policies.drawn().size(), std::size_t{36 + 8 + 8 + 4 + 24});  // every combination
    for (const auto& [name, times] : policies.drawn()) QVERIFY2(times >= 30, name.c_str());
  }

  void aLongRunKeepsTheBudgets_data() { add_policies(); }
  void aLongRunKeepsTheBudgets() {
    QFETCH(QString, text);
    Policies policies(text);
    Random random(22);
    for (int run = 0; run < (text.isEmpty() ? 120 : 20); ++run) {
      const auto policy = policies.next();
      PolicyState state{
          random_snapshot(random, {.contexts = 12, .tiers = 2, .methods = 2, .fractions = 3, .unprofiled = true})};
      Snapshot& snapshot = state.snapshot;
      for (ContextState& context : snapshot.contexts) {
        context.archived = false;
        context.frequency = 0;
        context.last_access = 0;
      }
      const auto handle = [&](PolicyEvent::Kind kind, std::size_t c) {
        return carry_out(snapshot, policy->advance(state, {kind, snapshot.contexts[c].key}).actions);
      };
      for (std::uint64_t counter = 1; counter <= 150; ++counter) {
        const auto c = random.below(6) * random.below(3);
        const bool miss = !snapshot.contexts[c].placement.stored();
        note_request(snapshot, c, counter);
        QString wrong = handle(PolicyEvent::Kind::requested, c);
        if (miss) {
          snapshot.contexts[c].archived = true;
          wrong += handle(PolicyEvent::Kind::context_computed, c);
        }
        if (random.below(20) == 0) {  // a budget moves while contexts are being read
          TierState& tier = snapshot.tiers[random.below(2)];
          tier.budget_bytes = random.below(3'000'000);
          snapshot.contexts[random.below(12)].pinned = true;
          wrong += handle(PolicyEvent::Kind::settings_changed, c);
          for (ContextState& context : snapshot.contexts) context.pinned = false;
          wrong += handle(PolicyEvent::Kind::requested, c);
          QVERIFY(!over_budget(snapshot));
        }
        QVERIFY2(wrong.isEmpty(), (policy->name() + ": " + wrong.toStdString()).c_str());
      }
    }
  }

  // Whatever is where and wants to go anywhere else, with little room: chains, circles, tiers above their budget.
  void theOrderIsThatOfPassesOverAll() {
    Random random(24);
    std::size_t swaps = 0;
    for (int i = 0; i < 4000; ++i) {
      Snapshot snapshot;
      const std::size_t tiers = 1 + random.below(3);
      for (std::size_t t = 0; t < tiers; ++t)
        snapshot.tiers.push_back({std::to_string(t), random.below(60), {}, false});
      std::vector<Target> targets;
      const auto drawn = [&] {
        Configuration configuration;
        if (random.below(5) == 0) return configuration;
        configuration.tier = static_cast<int>(random.below(tiers));
        configuration.removed_fraction = random.below(2) == 0 ? 0 : 0.5;
        return configuration;
      };
      const std::uint64_t count = 1 + random.below(30);
      for (std::uint64_t c = 0; c < count; ++c) {
        ContextState context;
        context.key = {0, c};
        context.archived = random.below(5) > 0;
        context.pinned = random.below(12) == 0;
        context.placement = drawn();
        context.stored_bytes = context.placement.stored() ? random.below(12) : 0;
        snapshot.contexts.push_back(context);
        Target target;
        target.configuration = drawn();
        target.bytes = target.configuration.stored() ? random.below(12) : 0;
        targets.push_back(target);
      }
      std::vector<std::string> made;
      for (const PlacementAction& action : ordered_actions(snapshot, targets)) {
        made.push_back(std::to_string(action.context.low) + " " + std::to_string(action.from.tier) + ">" +
                       std::to_string(action.to.tier));
        swaps += action.reason.starts_with("evicted for a swap") ? 1 : 0;
      }
      QVERIFY2(made == plainly_ordered(snapshot, targets), std::to_string(i).c_str());
    }
    QVERIFY2(swaps > 100, std::to_string(swaps).c_str());
  }

  // Two full tiers exchange all that they hold: one is evicted, and the others follow one another.
  void manyExchangesTakeNoTime() {
    constexpr std::uint64_t pairs = 50'000;
    Snapshot snapshot;
    snapshot.tiers = {{"dram", pairs * 10, {}, false}, {"ssd", pairs * 10, {}, false}};
    std::vector<Target> targets;
    for (std::uint64_t c = 0; c < 2 * pairs; ++c) {
      ContextState context;
      context.key = {0, c};
      context.archived = true;
      context.stored_bytes = 10;
      context.placement.tier = static_cast<int>(c % 2);
      snapshot.contexts.push_back(context);
      targets.push_back({{static_cast<int>(1 - c % 2), "none", 0}, 10, 0, "exchanged"});
    }
    const std::clock_t begin = std::clock();
    const auto actions = ordered_actions(snapshot, targets);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    QCOMPARE(actions.size(), std::size_t{2 * pairs + 1});
    for (const PlacementAction& action : actions) apply(snapshot, action);
    QVERIFY(!over_budget(snapshot));
    for (std::uint64_t c = 0; c < 2 * pairs; ++c)
      QCOMPARE(snapshot.contexts[c].placement.tier, static_cast<int>(1 - c % 2));
    // By passes over all that waits it is billions of looks.
    QVERIFY2(seconds < 5, std::to_string(seconds).c_str());
  }

  void twoFullTiersCanExchange() {
    Snapshot snapshot;
    snapshot.tiers = {{"dram", 100, {}, false}, {"ssd", 100, {}, false}};
    for (std::uint64_t i = 0; i < 2; ++i) {
      ContextState context;
      context.key = {0, i};
      context.archived = true;
      context.full_bytes = context.stored_bytes = 100;
      context.placement.tier = static_cast<int>(i);
      snapshot.contexts.push_back(context);
    }
    std::vector<Target> targets(2);
    targets[0] = {{1, "none", 0}, 100, 0, "down"};
    targets[1] = {{0, "none", 0}, 100, 0, "up"};
    const auto actions = ordered_actions(snapshot, targets);
    QCOMPARE(actions.size(), std::size_t{3});
    const QString wrong = carry_out(snapshot, actions);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    QCOMPARE(snapshot.contexts[0].placement.tier, 1);
    QCOMPARE(snapshot.contexts[1].placement.tier, 0);
  }

  void anExchangeWithoutOriginalsIsLeftOut() {
    Snapshot snapshot;
    snapshot.tiers = {{"dram", 100, {}, false}, {"ssd", 100, {}, false}};
    for (std::uint64_t i = 0; i < 2; ++i) {
      ContextState context;
      context.key = {0, i};
      context.stored_bytes = 100;
      context.placement.tier = static_cast<int>(i);
      snapshot.contexts.push_back(context);
    }
    std::vector<Target> targets(2);
    targets[0] = {{1, "none", 0}, 100, 0, "down"};
    targets[1] = {{0, "none", 0}, 100, 0, "up"};
    QVERIFY(ordered_actions(snapshot, targets).empty());
  }

  void kindsAreNamedByWhatHappens_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    QTest::addColumn<bool>("grows");
    QTest::addColumn<QString>("kind");
    QTest::newRow("first store") << -1 << 1 << true << "store";
    QTest::newRow("gone") << 1 << -1 << false << "evict";
    QTest::newRow("down") << 0 << 1 << false << "demote";
    QTest::newRow("up") << 2 << 0 << true << "promote";
    QTest::newRow("smaller in place") << 1 << 1 << false << "compress";
    QTest::newRow("larger in place") << 1 << 1 << true << "promote";
  }
  void kindsAreNamedByWhatHappens() {
    QFETCH(int, from);
    QFETCH(int, to);
    QFETCH(bool, grows);
    QFETCH(QString, kind);
    QCOMPARE(QString(to_string(kind_of({from, "none", 0}, {to, "none", 0}, grows))), kind);
  }

  void unchangedPlansGiveNoActions() {
    Random random(23);
    const auto policy = *make_policy("evicpress");
    for (int i = 0; i < 200; ++i) {
      PolicyState state{random_snapshot(random, {.contexts = 10, .tiers = 2})};
      carry_out(state.snapshot, policy->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions);
      QVERIFY(policy->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions.empty());
    }
  }
};

KV_TEST_GUILESS_MAIN(ActionsTest)

}  // namespace actions_test

#include "actions_test.moc"
