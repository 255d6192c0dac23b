// links: kv_reports
// Miss ratios of one pass against caches that are simulated one by one; blocks of other sizes; what the times of a
// preset were fitted to.
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <set>

#include "core/base/random.h"
#include "core/simulator/miss_ratio_curve.h"
#include "core/simulator/presets.h"
#include "core/simulator/simulator.h"
#include "core/trace/lru_cache.h"
#include "tests/support/test_program.h"

namespace miss_ratio_curve_test {

using namespace kvantage;

namespace {

std::vector<std::uint64_t> power_law(std::uint64_t seed, std::size_t count, double catalog) {
  Random random(seed);
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t& key : keys) key = static_cast<std::uint64_t>(catalog * std::pow(random.uniform(), 2.5)) * 7919;
  return keys;
}

double lru_miss_ratio(const std::vector<std::uint64_t>& keys, std::uint64_t capacity) {
  LruCache cache(capacity);
  std::size_t misses = 0;
  for (const std::uint64_t key : keys) misses += cache.touch(key, 1) ? 0 : 1;
  return static_cast<double>(misses) / static_cast<double>(keys.size());
}

}  // namespace

class MissRatioCurveTest : public QObject {
  Q_OBJECT

 private slots:
  // With every key, small capacities to the touch, larger ones to a part in 128.
  void allKeysGiveTheRatiosOfLru() {
    const auto keys = power_law(1, 60'000, 4000);
    MissRatioCurve curve(0);
    for (const std::uint64_t key : keys) curve.touch(key);
    QCOMPARE(curve.rate(), 1.0);
    QCOMPARE(curve.touches(), std::uint64_t{60'000});
    for (const std::uint64_t capacity : {1, 2, 7, 50, 130, 255})
      QVERIFY2(std::fabs(curve.miss_ratio_at(capacity) - lru_miss_ratio(keys, capacity)) < 1e-9,
               qPrintable(QString::number(capacity)));
    for (const std::uint64_t capacity : {512, 1024, 2048})
      QVERIFY(std::fabs(curve.miss_ratio_at(capacity) - lru_miss_ratio(keys, capacity)) < 0.01);
    QCOMPARE(curve.miss_ratio_at(0), 1.0);
    const auto points = curve.curve(20);
    QVERIFY(points.size() > 10 && points.front().capacity == 1);
    for (std::size_t i = 1; i < points.size(); ++i)
      QVERIFY(points[i].capacity > points[i - 1].capacity && points[i].miss_ratio <= points[i - 1].miss_ratio);
    QVERIFY(std::fabs(points.back().miss_ratio - lru_miss_ratio(keys, LruCache::unlimited)) < 1e-9);
  }

  // SHARDS reports a mean error of 0.01 and less with 8,192 keys; here a few points each, with slack.
  void sampledKeysAreCloseToThat() {
    const auto keys = power_law(2, 600'000, 120'000);
    MissRatioCurve curve(4096);
    for (const std::uint64_t key : keys) curve.touch(key);
    QVERIFY2(curve.rate() < 0.1, qPrintable(QString::number(curve.rate())));
    double error = 0;
    int points = 0;
    for (const std::uint64_t capacity : {1000, 4000, 16'000, 40'000, 80'000}) {
      error += std::fabs(curve.miss_ratio_at(capacity) - lru_miss_ratio(keys, capacity));
      ++points;
    }
    QVERIFY2(error / points < 0.03, qPrintable(QString::number(error / points)));
    MissRatioCurve again(4096);
    for (const std::uint64_t key : keys) again.touch(key);
    QCOMPARE(again.miss_ratio_at(16'000), curve.miss_ratio_at(16'000));
  }

  // A step at each capacity where the ratio of LRU falls; with `least` fewer of them, each as before.
  void stepsAreWhereTheRatioFalls() {
    const auto keys = power_law(3, 20'000, 200);
    MissRatioCurve curve(0);
    QVERIFY(curve.steps().empty() && curve.footprint() == 0);
    for (const std::uint64_t key : keys) curve.touch(key);
    QCOMPARE(curve.footprint(), std::uint64_t{std::set<std::uint64_t>(keys.begin(), keys.end()).size()});
    const auto steps = curve.steps();
    double before = 1;
    std::size_t at = 0;
    for (std::uint64_t capacity = 1; capacity <= 200; ++capacity) {
      const double ratio = lru_miss_ratio(keys, capacity);
      if (ratio == before) continue;
      QVERIFY(at < steps.size());
      QCOMPARE(steps[at].capacity, capacity);
      QVERIFY(std::fabs(steps[at].miss_ratio - ratio) < 1e-9);
      before = ratio;
      ++at;
    }
    QCOMPARE(at, steps.size());
    const auto fewer = curve.steps(0.01);
    QVERIFY(fewer.size() < steps.size() && fewer.size() > 10);
    QCOMPARE(fewer.back().capacity, steps.back().capacity);
    for (std::size_t i = 0; i < fewer.size(); ++i) {
      QCOMPARE(fewer[i].miss_ratio, curve.miss_ratio_at(fewer[i].capacity));
      QVERIFY(i + 1 == fewer.size() || (i > 0 ? fewer[i - 1].miss_ratio : 1) - fewer[i].miss_ratio >= 0.01);
    }
  }

  void weightsAreSummed() {
    MissRatioCurve curve(0);
    for (int round = 0; round < 50; ++round)
      for (std::uint64_t key = 0; key < 4; ++key) curve.touch(key, 10);
    QCOMPARE(curve.miss_ratio_at(39), 1.0);  // a loop of four entries of ten
    QCOMPARE(curve.miss_ratio_at(40), 4.0 / 200);
  }

  void blocksOfTheCacheMayBeLargerOrSmaller() {
    SimulatorSetup setup;
    setup.capacities = {1000};
    const std::vector<std::uint64_t> one{1, 2, 3, 4, 5}, other{1, 2, 3, 9};
    const auto hits = [&](std::uint64_t tokens, std::uint64_t input, std::uint64_t input_of_other) {
      auto simulator = TraceSimulator::make(setup);
      if (!(*simulator)->use_blocks(16, tokens)) return std::pair{std::uint64_t{999}, std::uint64_t{999}};
      (*simulator)->serve(0, input, 0, one);
      (*simulator)->serve(0, input_of_other, 0, other);
      const SimulatorTotals totals = (*simulator)->totals();
      return std::pair{totals.hit_blocks, totals.blocks};
    };
    QVERIFY(hits(16, 80, 64) == std::pair(std::uint64_t{3}, std::uint64_t{9}));
    QVERIFY(hits(32, 80, 64) == std::pair(std::uint64_t{1}, std::uint64_t{5}));  // 2, 4, the rest; 2, 9
    QVERIFY(hits(8, 80, 60) == std::pair(std::uint64_t{6}, std::uint64_t{18}));
    QVERIFY(hits(24, 80, 64).first == 999);
    auto simulator = TraceSimulator::make(setup);
    const Status refused = (*simulator)->use_blocks(512, 100);
    QVERIFY(!refused && refused.error().message.find("neither a multiple nor a part") != std::string::npos);
  }

  void theFutureIsToldFirst() {
    SimulatorSetup setup;
    setup.capacities = {2};
    setup.order = "belady";
    setup.mode = ReuseMode::contexts;
    auto simulator = TraceSimulator::make(setup);
    QVERIFY(simulator.has_value() && (*simulator)->needs_future());
    std::vector<TraceRequest> requests;
    for (const std::uint64_t context : {1, 2, 3, 1, 2, 3, 1, 2, 3}) {
      TraceRequest request;
      request.context = context;
      request.input_tokens = 512;
      requests.push_back(request);
    }
    for (const TraceRequest& request : requests) QVERIFY((*simulator)->expect(request).has_value());
    for (const TraceRequest& request : requests) (*simulator)->request(request);
    QCOMPARE((*simulator)->totals().hit_requests, std::uint64_t{4});  // LRU has none
    setup.order = "vllm_lru";
    const auto refused = TraceSimulator::make(setup);
    QVERIFY(!refused && refused.error().message.find("--mode blocks") != std::string::npos);
  }

  void timesBeyondTheirFitAreKnown() {
    SimulatorPreset preset;
    QVERIFY(!preset.is_beyond_fit(1e9));  // without times
    preset.prefill = PrefillModel{-0.1, 1e-4, 0};
    QVERIFY(preset.is_beyond_fit(999) && !preset.is_beyond_fit(1001) && !preset.is_beyond_fit(1e6));
    QVERIFY(preset.counts_as_zero(999) && !preset.counts_as_zero(1001));
    preset.fitted = FittedTokens{2000, 8000};
    QVERIFY(preset.counts_as_zero(999) && !preset.counts_as_zero(1999));  // extrapolated, but above 0
    QVERIFY(preset.is_beyond_fit(1999) && !preset.is_beyond_fit(2000) && !preset.is_beyond_fit(8000) &&
            preset.is_beyond_fit(8001));
  }
};

KV_TEST_GUILESS_MAIN(MissRatioCurveTest)

}  // namespace miss_ratio_curve_test

#include "miss_ratio_curve_test.moc"
