// links: kv_base
// lru and fixed against a small cache of lists written apart from the product, over long random request sequences.
#include <QtTest>
#include <list>

#include "core/policy/access_statistics.h"
#include "core/policy/actions.h"
#include "core/policy/policy.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace lru_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// Several tiers of lists, most recently used in front. Overflow moves the last of a list to the front of the next.
class ListCache {
 public:
  ListCache(std::vector<std::uint64_t> budgets, std::vector<std::uint64_t> sizes)
      : budgets_(std::move(budgets)), sizes_(std::move(sizes)), tiers_(budgets_.size()) {}

  int tier_of(std::size_t item) const {
    for (std::size_t t = 0; t < tiers_.size(); ++t)
      if (std::find(tiers_[t].begin(), tiers_[t].end(), item) != tiers_[t].end()) return static_cast<int>(t);
    return -1;
  }
  void access(std::size_t item) {
    for (auto& tier : tiers_) tier.remove(item);
    put(item, 0);
  }

 private:
  std::uint64_t used(std::size_t tier) const {
    std::uint64_t sum = 0;
    for (const std::size_t item : tiers_[tier]) sum += sizes_[item];
    return sum;
  }
  void put(std::size_t item, std::size_t tier) {
    if (tier == tiers_.size()) return;
    tiers_[tier].push_front(item);
    while (used(tier) > budgets_[tier]) {
      const std::size_t oldest = tiers_[tier].back();
      tiers_[tier].pop_back();
      put(oldest, tier + 1);
    }
  }

  std::vector<std::uint64_t> budgets_, sizes_;
  std::vector<std::list<std::size_t>> tiers_;
};

}  // namespace

class LruTest : public QObject {
  Q_OBJECT
 private slots:
  void placesLikeTheListCache_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("tiers");
    for (const char* text : {"lru", "fixed(m0,0.5)"})
      for (const int tiers : {1, 2, 3})
        QTest::newRow(qPrintable(QString("%1 on %2").arg(text).arg(tiers))) << QString(text) << tiers;
  }
  void placesLikeTheListCache() {
    QFETCH(QString, text);
    QFETCH(int, tiers);
    const auto policy = *make_policy(text.toStdString());
    Random random(31);
    int demoted = 0;
    for (int run = 0; run < 30; ++run) {
      PolicyState state{random_snapshot(
          random, {.contexts = 15, .tiers = static_cast<std::size_t>(tiers), .methods = 1, .fractions = 1})};
      Snapshot& snapshot = state.snapshot;
      std::vector<std::uint64_t> sizes, budgets;
      for (ContextState& context : snapshot.contexts) {
        context.archived = false;
        context.last_access = 0;
        sizes.push_back(text == "lru" ? context.full_bytes : context.profile->points[1].bytes);
      }
      // Tiers that hold at least the largest entry: what to do with larger ones the list cache does not say.
      const auto largest = *std::max_element(sizes.begin(), sizes.end());
      for (TierState& tier : snapshot.tiers) budgets.push_back(tier.budget_bytes = largest + random.below(4 * largest));
      ListCache reference(budgets, sizes);
      for (std::uint64_t counter = 1; counter <= 300; ++counter) {
        const auto c = random.below(1 + random.below(15));
        const bool miss = snapshot.contexts[c].placement.tier == not_stored;
        QCOMPARE(snapshot.contexts[c].placement.tier, reference.tier_of(c));
        note_request(snapshot, c, counter);
        const auto handle = [&](PolicyEvent::Kind kind) {
          for (const PlacementAction& action : policy->step(state, {kind, snapshot.contexts[c].key}).actions) {
            demoted += action.kind == ActionKind::demote;
            apply(snapshot, action);
          }
        };
        handle(PolicyEvent::Kind::requested);
        if (miss) {
          snapshot.contexts[c].archived = true;
          handle(PolicyEvent::Kind::context_computed);
        }
        reference.access(c);
        for (std::size_t i = 0; i < sizes.size(); ++i)
          QCOMPARE(snapshot.contexts[i].placement.tier, reference.tier_of(i));
      }
    }
    QVERIFY(tiers == 1 || demoted > 100);
  }

  void whatIsTooLargeForATierSkipsItAndEvictsNobody() {
    Random random(32);
    PolicyState state{random_snapshot(random, {.contexts = 2, .tiers = 2, .methods = 0})};
    Snapshot& snapshot = state.snapshot;
    snapshot.contexts[0].full_bytes = 100;
    snapshot.contexts[1].full_bytes = 1000;
    for (ContextState& context : snapshot.contexts) context.profile = nullptr;
    snapshot.tiers[0].budget_bytes = 500;
    snapshot.tiers[1].budget_bytes = 5000;
    const auto policy = *make_policy("lru");
    for (const std::size_t c : {0u, 1u})
      for (const PlacementAction& action :
           policy->step(state, {PolicyEvent::Kind::context_computed, snapshot.contexts[c].key}).actions)
        apply(snapshot, action);
    QCOMPARE(snapshot.contexts[0].placement.tier, 0);
    QCOMPARE(snapshot.contexts[1].placement.tier, 1);
  }

  // A budget below the uncompressed size: room is asked for the form that is stored. lru has no other form.
  void theStoredFormIsWhatAsksForRoom_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<quint64>("budget");
    QTest::addColumn<bool>("fits");
    QTest::newRow("tokens removed") << "fixed(knorm,0.5)" << quint64{540'000} << true;
    QTest::newRow("tokens removed, too small") << "fixed(knorm,0.5)" << quint64{490'000} << false;
    QTest::newRow("encoded") << "fixed(kivi4,0)" << quint64{300'000} << true;
    QTest::newRow("encoded, too small") << "fixed(kivi4,0)" << quint64{240'000} << false;
    QTest::newRow("both") << "fixed(knorm+kivi4,0.5)" << quint64{200'000} << true;
    QTest::newRow("encoded, by another order") << "fixed(kivi4,0,eviction=lfu)" << quint64{300'000} << true;
    QTest::newRow("whole") << "lru" << quint64{999'999} << false;
  }
  void theStoredFormIsWhatAsksForRoom() {
    QFETCH(QString, text);
    QFETCH(quint64, budget);
    QFETCH(bool, fits);
    Random random(35);
    PolicyState state{random_snapshot(random, {.contexts = 1, .tiers = 1, .methods = 0})};
    Snapshot& snapshot = state.snapshot;
    snapshot.codec_costs = {{.method = "kivi4", .encoded = EncodedSize{10'000, 250}},
                            {.method = "knorm+kivi4", .encoded = EncodedSize{10'000, 250}}};
    ContextState& context = snapshot.contexts[0];
    context.tokens = 1000;
    context.full_bytes = 1'000'000;
    context.profile = nullptr;
    snapshot.tiers[0].budget_bytes = budget;
    const auto policy = make_policy(text.toStdString());
    QVERIFY2(policy, policy ? "" : policy.error().message.c_str());
    const auto actions = (*policy)->step(state, {PolicyEvent::Kind::context_computed, context.key}).actions;
    QCOMPARE(actions.size(), std::size_t{fits ? 1U : 0U});
    if (!fits) return;
    QCOMPARE(actions[0].kind, ActionKind::store);
    QVERIFY(actions[0].bytes_after > 0 && actions[0].bytes_after <= budget);
  }

  void aLoweredBudgetMovesTheOldestDown() {
    Random random(33);
    PolicyState state{random_snapshot(random, {.contexts = 3, .tiers = 2, .methods = 0})};
    Snapshot& snapshot = state.snapshot;
    for (std::size_t i = 0; i < 3; ++i) {
      ContextState& context = snapshot.contexts[i];
      context.full_bytes = context.stored_bytes = 100;
      context.placement = {0, "none", 0};
      context.last_access = std::vector<std::uint64_t>{7, 3, 5}[i];
    }
    snapshot.tiers[0].budget_bytes = 200;
    snapshot.tiers[1].budget_bytes = 1000;
    const auto actions = (*make_policy("lru"))->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions;
    QCOMPARE(actions.size(), std::size_t{1});
    QCOMPARE(actions[0].context, snapshot.contexts[1].key);
    QCOMPARE(actions[0].to.tier, 1);
    QCOMPARE(actions[0].kind, ActionKind::demote);
  }

  void changingThePolicyRemakesWhatIsStored() {
    Random random(34);
    PolicyState state{random_snapshot(random, {.contexts = 1, .tiers = 1, .methods = 1, .fractions = 1})};
    Snapshot& snapshot = state.snapshot;
    snapshot.tiers[0].budget_bytes = 1ULL << 40;
    ContextState& context = snapshot.contexts[0];
    context.placement = {0, "m0", 0.5};
    context.stored_bytes = context.profile->points[1].bytes;
    for (const PlacementAction& action :
         (*make_policy("lru"))->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions)
      apply(snapshot, action);
    QCOMPARE(context.placement.method, std::string("none"));
    QCOMPARE(context.stored_bytes, context.full_bytes);
    for (const PlacementAction& action :
         (*make_policy("full_prefill"))->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions)
      apply(snapshot, action);
    QVERIFY(!context.placement.stored());
    QCOMPARE(context.stored_bytes, 0ULL);
  }
};

KV_TEST_GUILESS_MAIN(LruTest)

}  // namespace lru_test

#include "lru_test.moc"
