// links: kv_base
// A last tier without a limit serves, in compressed forms, too: once a context was requested, it is left to prefill
// only where prefill was predicted faster than loading it from there.
#include <QtTest>
#include <set>

#include "core/policy/policy.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace unlimited_tier_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr double bytes_per_token = 1000, prefill_seconds_per_token = 1e-4;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// Seconds to load a token's bytes are `load_ratio` of the seconds to prefill it.
TierState tier_of(const char* name, std::uint64_t budget_bytes, double load_ratio) {
  return {name, budget_bytes, {0, bytes_per_token / (load_ratio * prefill_seconds_per_token), 0, 0}, true};
}

/// Requested contexts of 100 to 6,000 tokens, whose qualities under two methods at five removed fractions are random.
/// DRAM and SSD hold 1 % and 4 % of their bytes, so that some must leave even at a tenth of theirs.
Snapshot world(Random& random, std::size_t contexts, double last_load_ratio) {
  Snapshot snapshot;
  snapshot.prefill = {0, prefill_seconds_per_token, 0};
  snapshot.alpha = std::pow(10.0, -2 + 3 * random.uniform());
  double total = 0;
  for (std::size_t i = 0; i < contexts; ++i) {
    ContextState context;
    context.key = {i, 1};
    context.id = std::string("c").append(std::to_string(i));
    context.family = i % 2 == 0 ? "news" : "story";
    context.tokens = static_cast<int>(100 * std::pow(60.0, random.uniform()));
    context.full_bytes = static_cast<std::uint64_t>(bytes_per_token * context.tokens);
    context.frequency = 0.1 + random.uniform();
    context.last_access = i + 1;
    context.archived = true;
    auto profile = std::make_shared<ContextProfile>();
    profile->points.push_back({"none", 0, 1, 1, 1, 8, context.full_bytes, context.tokens});
    for (const char* method : {"m0", "m1"})
      for (const double removed : {0.2, 0.4, 0.6, 0.8, 0.9}) {
        const double quality = 1 - removed * random.uniform();
        profile->points.push_back({method, removed, quality, quality, quality, 8,
                                   static_cast<std::uint64_t>((1 - removed) * static_cast<double>(context.full_bytes)),
                                   static_cast<int>((1 - removed) * context.tokens)});
      }
    context.profile = profile;
    total += static_cast<double>(context.full_bytes);
    snapshot.contexts.push_back(context);
  }
  snapshot.tiers = {tier_of("dram", static_cast<std::uint64_t>(0.01 * total), 0.09),
                    tier_of("ssd", static_cast<std::uint64_t>(0.04 * total), 0.45),
                    tier_of("remote", unlimited, last_load_ratio)};
  return snapshot;
}

void each_policy() {
  QTest::addColumn<QString>("text");
  for (const char* text :
       {"evicpress", "evicpress(start=quality)", "evicpress(drop=per_byte)", "evicpress(start=quality,drop=per_byte)",
        "evicpress(drop=best)", "evicpress(start=quality,drop=best)", "evicpress(prices=lp)",
        "evicpress(drop=best,prices=lp)"})
    QTest::newRow(text) << text;
}

std::shared_ptr<const Policy> policy(const QString& text) { return *make_policy(text.toStdString()); }

QString place(const Snapshot& snapshot, std::size_t index, int round) {
  return QStringLiteral("world %1, %2 of %3 tokens at alpha %4")
      .arg(round)
      .arg(QString::fromStdString(snapshot.contexts[index].id))
      .arg(snapshot.contexts[index].tokens)
      .arg(snapshot.alpha);
}

}  // namespace

class UnlimitedTierTest : public QObject {
  Q_OBJECT

 private slots:
  // Loading from the last tier takes 0.9 of prefilling, so nothing is ever left to prefill.
  void holdsWhateverLoadsSoonerThanItIsComputed_data() { each_policy(); }
  void holdsWhateverLoadsSoonerThanItIsComputed() {
    QFETCH(QString, text);
    const auto planner = policy(text);
    Random random(41);
    for (int round = 0; round < 300; ++round) {
      const Snapshot snapshot = world(random, 2 + random.below(30), 0.9);
      const Plan plan = planner->plan(snapshot);
      for (std::size_t i = 0; i < plan.contexts.size(); ++i)
        QVERIFY2(plan.contexts[i].configuration.stored(), qPrintable(place(snapshot, i, round)));
    }
  }

  // Loading from there takes 4.75 times as long, as in the regime of EvicPress: an uncompressed cache is slower than
  // prefill, one of a tenth of its bytes is faster.
  void leavesToPrefillOnlyWhatPrefillIsFasterFor_data() { each_policy(); }
  void leavesToPrefillOnlyWhatPrefillIsFasterFor() {
    QFETCH(QString, text);
    const auto planner = policy(text);
    Random random(42);
    int compressed_on_last = 0, prefilled = 0;
    for (int round = 0; round < 300; ++round) {
      const Snapshot snapshot = world(random, 2 + random.below(30), 4.75);
      const double whole_quality = mean_uncompressed_quality(snapshot);
      const Plan plan = planner->plan(snapshot);
      for (std::size_t i = 0; i < plan.contexts.size(); ++i) {
        const ContextState& context = snapshot.contexts[i];
        const Configuration& chosen = plan.contexts[i].configuration;
        compressed_on_last += chosen.tier == 2 && chosen.removed_fraction > 0 ? 1 : 0;
        if (chosen.stored()) continue;
        ++prefilled;
        const Prediction computed = predict(snapshot, context, {}, whole_quality);
        const Prediction loaded = predict(snapshot, context, {2, "none", 0}, whole_quality);
        QVERIFY2(computed.ttft_seconds < loaded.ttft_seconds, qPrintable(place(snapshot, i, round)));
        if (text.contains("start=quality")) continue;
        // Nor would a compressed form there have been worth more.
        for (const ProfilePoint& point : context.profile->points) {
          const Prediction other = predict(snapshot, context, {2, point.method, point.removed_fraction}, whole_quality);
          QVERIFY2(other.utility <= computed.utility + 1e-12, qPrintable(place(snapshot, i, round)));
        }
      }
    }
    QVERIFY2(compressed_on_last > 50, qPrintable(QString::number(compressed_on_last)));
    QVERIFY2(prefilled > 50, qPrintable(QString::number(prefilled)));
  }

  // The policies that weigh nothing, request by request from a cold start: only the first request is prefilled.
  void ofOrdersIsNeverEmptied_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"lru", "lfu", "gdsf", "fixed(m0,0.8)"}) QTest::newRow(text) << text;
  }
  void ofOrdersIsNeverEmptied() {
    QFETCH(QString, text);
    Random random(43);
    const Snapshot snapshot = world(random, 20, 4.75);
    std::vector<std::size_t> requests(600);
    for (std::size_t& request : requests) request = random.below(20);
    const SimulationResult served = simulate(snapshot, policy(text), requests);
    std::set<std::size_t> known;
    for (const SimulatedRequest& request : served.requests)
      QCOMPARE(request.tier == not_stored, known.insert(request.context).second);
    QCOMPARE(known.size(), std::size_t{20});
    QVERIFY(served.totals.hits[2] > 50);
  }

  // AdaptCache weighs only its fast tier and the next one; there it drops what prefill is worth more for, as its
  // authors do. What leaves the tiers below, by recency, always has a place.
  void ofAdaptCacheTakesWhatLeavesTheTiersAboveIt_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"adaptcache", "adaptcache(utility=printed)", "adaptcache(quality=context)"})
      QTest::newRow(text) << text;
  }
  void ofAdaptCacheTakesWhatLeavesTheTiersAboveIt() {
    QFETCH(QString, text);
    const auto planner = policy(text);
    Random random(45);
    int on_last = 0;
    for (int round = 0; round < 100; ++round) {
      const Snapshot snapshot = world(random, 2 + random.below(30), 4.75);
      const Plan plan = planner->plan(snapshot);
      for (std::size_t i = 0; i < plan.contexts.size(); ++i) {
        const PlannedContext& planned = plan.contexts[i];
        on_last += planned.configuration.tier == 2 ? 1 : 0;
        if (planned.configuration.stored()) continue;
        QVERIFY2(planned.reason.find("recomputing beats storing on the next tier") != std::string::npos,
                 planned.reason.c_str());
      }
    }
    QVERIFY2(on_last > 50, qPrintable(QString::number(on_last)));
  }

  // As for the orders, for planners where the last tier loads sooner than prefill.
  void servesEveryRequestAfterTheFirst_data() { each_policy(); }
  void servesEveryRequestAfterTheFirst() {
    QFETCH(QString, text);
    Random random(44);
    const Snapshot snapshot = world(random, 20, 0.9);
    std::vector<std::size_t> requests(400);
    for (std::size_t& request : requests) request = random.below(20);
    const SimulationResult served = simulate(snapshot, policy(text), requests);
    std::set<std::size_t> known;
    for (const SimulatedRequest& request : served.requests)
      QCOMPARE(request.tier == not_stored, known.insert(request.context).second);
  }
};

KV_TEST_GUILESS_MAIN(UnlimitedTierTest)

}  // namespace unlimited_tier_test

#include "unlimited_tier_test.moc"
