// links: kv_base
// The compact caches against something else: an LRU that is searched, and the policies of the live engine, request by request.
#include <QtTest>

#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/simulator/planned_simulation.h"
#include "core/trace/prefix_lru.h"

using namespace kvantage;

namespace {

struct Asked {
  std::uint64_t context = 0, tokens = 0;
};

/// A power law over contexts of different sizes.
std::vector<Asked> requests_of(std::uint64_t seed, std::size_t count, std::uint64_t contexts) {
  Random random(seed);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < contexts; ++i) sizes.push_back(1 + random.below(40));
  std::vector<Asked> made;
  for (std::size_t i = 0; i < count; ++i) {
    const auto rank = static_cast<std::uint64_t>(static_cast<double>(contexts) * std::pow(random.uniform(), 2.5));
    made.push_back({rank * 7919 + 13, sizes[rank] * 100});
  }
  return made;
}

PlannedSetup planned_setup(const std::vector<std::uint64_t>& budgets) {
  PlannedSetup setup;
  setup.preset.name = "test";
  setup.preset.bytes_per_token = 1000;
  setup.preset.prefill = PrefillModel{0.01, 1e-3, 1e-7};
  for (std::size_t t = 0; t < budgets.size(); ++t)
    setup.tiers.push_back({"tier" + std::to_string(t), budgets[t], {0.001 * static_cast<double>(t + 1), 1e-5 * static_cast<double>(t + 1)}});
  return setup;
}

}  // namespace

class SimulatorOrdersTest : public QObject {
  Q_OBJECT

 private slots:
  void blocksOfRandomPrefixesHitAsInTheSearchedList() {
    for (const std::uint64_t capacity : {1, 2, 7, 100, 1000}) {
      Random random(capacity);
      SimulatorSetup setup;
      setup.capacities = {capacity};
      auto simulator = TraceSimulator::make(setup);
      QVERIFY(simulator.has_value());
      PrefixLru other(capacity);
      for (int i = 0; i < 3000; ++i) {
        std::vector<std::uint64_t> blocks;
        const std::uint64_t family = random.below(20), length = random.below(30);
        for (std::uint64_t b = 0; b < length; ++b) blocks.push_back(b < 10 ? family * 1000 + b : random.below(3000) + 100'000);
        other.touch(blocks);
        (*simulator)->serve(0, 512 * length, 0, blocks);
      }
      QCOMPARE((*simulator)->totals().hit_blocks, other.counts().hits);
      QCOMPARE((*simulator)->totals().blocks, other.counts().all);
    }
  }

  void ordersDecideAsThePolicyOfTheirName_data() {
    QTest::addColumn<QString>("order");
    QTest::addColumn<int>("tiers");
    for (const QString order : {"lru", "lfu", "gdsf", "s3fifo"})
      for (const int tiers : {1, 2, 3}) QTest::newRow(qPrintable(QString("%1 on %2 tiers").arg(order).arg(tiers))) << order << tiers;
  }
  void ordersDecideAsThePolicyOfTheirName() {
    QFETCH(QString, order);
    QFETCH(int, tiers);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      std::vector<std::uint64_t> budgets;
      for (int t = 0; t < tiers; ++t) budgets.push_back((t == 0 ? 9'000'000U : 20'000'000U) * (seed % 2 + 1));
      const auto requests = requests_of(seed, 1500, 60);
      const PlannedSetup setup = planned_setup(budgets);
      TraceContexts contexts;
      for (const Asked& asked : requests) contexts[asked.context] = asked.tokens;
      auto snapshot = snapshot_of(setup, contexts);
      QVERIFY(snapshot.has_value());
      auto policy = make_policy(order.toStdString());
      QVERIFY2(policy.has_value(), policy ? "" : policy.error().message.c_str());
      ShadowSimulation shadow(*snapshot, *policy);
      SimulatorSetup compact;
      compact.mode = ReuseMode::contexts;
      compact.order = order.toStdString();
      compact.weigh_bytes = true;
      compact.capacities = budgets;
      compact.costs = {true, 1000, *setup.preset.prefill, {}, {}, 0};
      for (const PlannedTier& tier : setup.tiers) compact.costs.tiers.push_back(tier.line);
      auto simulator = TraceSimulator::make(compact);
      QVERIFY(simulator.has_value());
      std::vector<std::uint64_t> hits(static_cast<std::size_t>(tiers), 0);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        std::size_t index = 0;
        while (shadow.snapshot().contexts[index].key.low != requests[i].context) ++index;
        const SimulatedRequest served = shadow.request(index);
        if (served.tier != not_stored) ++hits[static_cast<std::size_t>(served.tier)];
        (*simulator)->serve(0, requests[i].tokens, requests[i].context, {});
        for (int t = 0; i % 20 == 0 && t < tiers; ++t)
          QVERIFY2((*simulator)->totals().tiers[static_cast<std::size_t>(t)].hit_requests == hits[static_cast<std::size_t>(t)],
                   qPrintable(QString("seed %1, request %2, tier %3").arg(seed).arg(i).arg(t)));
      }
      QVERIFY(std::accumulate(hits.begin(), hits.end(), std::uint64_t{0}) > 100);
      const SimulatorTotals totals = (*simulator)->totals();
      QVERIFY(std::fabs(totals.service.mean - shadow.totals().mean_ttft_service_seconds) < 1e-9);
    }
  }

  void noTierEverHoldsMoreThanItMay() {
    for (const std::string_view order : cache_orders())
      for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        std::vector<std::uint64_t> capacities(1 + random.below(3));
        for (std::uint64_t& capacity : capacities) capacity = random.below(3) == 0 ? random.below(3) : random.below(200);
        auto cache = make_simulated_cache(order, capacities);
        QVERIFY(cache.has_value());
        for (int i = 0; i < 300; ++i) {
          Reuse reuse;
          (*cache)->touch_context(random.below(30), random.below(60), {}, reuse);
          for (std::size_t t = 0; t < capacities.size(); ++t) QVERIFY((*cache)->held(t) <= capacities[t]);
        }
      }
  }
};

QTEST_GUILESS_MAIN(SimulatorOrdersTest)
#include "orders_test.moc"
