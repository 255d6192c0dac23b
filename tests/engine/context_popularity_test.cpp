// links: core_engine tiers
// The part of the engine that remembers how often contexts were asked for, without the others.
#include "core/engine/context_popularity.h"

#include <QtTest>

#include "tests/support/engine_parts.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace context_popularity_test {

using namespace kvantage;
using namespace kvantage::test;

class ContextPopularityTest : public QObject {
  Q_OBJECT

  static constexpr Digest128 workload{1, 2};
  /// A store that holds something, as after a restart.
  static void hold_something(EngineParts& parts) { parts.catalog->state(0).placement.tier = 0; }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatWasAskedForOutlivesARestart() {
    MemoryProfileStore profiles;
    {
      EngineParts parts(small_workload(3, 8, 3));
      for (std::size_t c = 0; c < 3; ++c) parts.catalog->state(c).frequency = 1.5 + static_cast<double>(c);
      QVERIFY(ContextPopularity(parts.services(), &profiles, workload).save());
    }
    EngineParts parts(small_workload(3, 8, 3));
    hold_something(parts);
    parts.catalog->state(2).frequency = 40;  // known better by now
    QVERIFY(ContextPopularity(parts.services(), &profiles, workload).load());
    QCOMPARE(parts.catalog->state(0).frequency, 1.5);
    QCOMPARE(parts.catalog->state(1).frequency, 2.5);
    QCOMPARE(parts.catalog->state(2).frequency, 40.0);
  }

  void ofAnotherWorkloadNothingIsKnown() {
    MemoryProfileStore profiles;
    EngineParts parts(small_workload(1, 8, 3));
    hold_something(parts);
    parts.catalog->state(0).frequency = 3;
    QVERIFY(ContextPopularity(parts.services(), &profiles, workload).save());
    parts.catalog->state(0).frequency = 0;
    QVERIFY(ContextPopularity(parts.services(), &profiles, {1, 3}).load());
    QCOMPARE(parts.catalog->state(0).frequency, 0.0);
  }

  void aStoreThatHoldsNothingBeginsAgain() {
    MemoryProfileStore profiles;
    EngineParts parts(small_workload(1, 8, 3));
    parts.catalog->state(0).frequency = 3;
    ContextPopularity popularity(parts.services(), &profiles, workload);
    QVERIFY(popularity.save());
    parts.catalog->state(0).frequency = 0;
    profiles.broken = {"load_value"};
    QVERIFY(popularity.load());  // it is not even asked
    QCOMPARE(parts.catalog->state(0).frequency, 0.0);
    hold_something(parts);
    const Status loaded = popularity.load();
    QVERIFY(!loaded && loaded.error().code == ErrorCode::io);
    profiles.broken = {"save_value"};
    QVERIFY(!popularity.save());
  }

  void whatMakesNoSenseIsPassedOver() {
    MemoryProfileStore profiles;
    EngineParts parts(small_workload(2, 8, 3));
    hold_something(parts);
    ContextPopularity popularity(parts.services(), &profiles, workload);
    QVERIFY(popularity.save());
    QCOMPARE(profiles.values.size(), std::size_t{1});
    Json& saved = profiles.values.begin()->second;
    saved = Json{{parts.catalog->state(0).id, "often"}, {parts.catalog->state(1).id, 4}, {"nobody", 9}};
    QVERIFY(popularity.load());
    QCOMPARE(parts.catalog->state(0).frequency, 0.0);
    QCOMPARE(parts.catalog->state(1).frequency, 4.0);
    saved = Json::array({1, 2});
    QVERIFY(popularity.load());
    QCOMPARE(parts.catalog->state(1).frequency, 4.0);
  }

  void withoutADatabaseNothingIsKept() {
    EngineParts parts(small_workload(1, 8, 3));
    hold_something(parts);
    parts.catalog->state(0).frequency = 3;
    parts.catalog->state(0).last_access = 5;
    ContextPopularity popularity(parts.services(), nullptr, workload);
    QVERIFY(popularity.save() && popularity.load());
    QCOMPARE(parts.catalog->state(0).frequency, 3.0);
    popularity.forget();
    QCOMPARE(parts.catalog->state(0).frequency, 0.0);
    QCOMPARE(parts.catalog->state(0).last_access, std::uint64_t{0});
  }
};

KV_TEST_GUILESS_MAIN(ContextPopularityTest)

}  // namespace context_popularity_test

#include "context_popularity_test.moc"
