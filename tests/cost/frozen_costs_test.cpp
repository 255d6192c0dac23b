// links: core_cost tiers
// The part of the engine that freezes what things cost, without the others.
#include "core/cost/frozen_costs.h"

#include <QtTest>

#include "core/ports/recorded_snapshot.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace frozen_costs_test {

using namespace kvantage;
using namespace kvantage::test;

/// A session whose timing came to `seconds` for everything.
struct Session {
  explicit Session(double seconds) : parts(small_workload(1, 8, 3)), costs(parts.services()) {
    Snapshot& snapshot = parts.catalog->snapshot();
    snapshot.tiers[0].model.latency_seconds = seconds;
    snapshot.prefill.base_seconds = snapshot.question.base_seconds = seconds;
    snapshot.codec_costs = {{"kivi4", seconds}};
    settings.tiers = {{.name = "dram", .budget = 1000}};
    settings.methods = {"kivi4"};
  }
  Status freeze(ProfileStore* profiles, std::optional<events::SnapshotTaken> given = {}) {
    return freeze_costs(parts.services(), costs, settings, {1, 2}, profiles, std::move(given));
  }
  /// Whether everything costs this much, and still does whatever is learned.
  bool is_frozen_at(double seconds) {
    const Snapshot& snapshot = parts.catalog->snapshot();
    const auto task = served(parts, 0, 0);
    for (std::size_t i = 0; i < 2 * SampleWindow::min; ++i) costs.learn(*task, {});
    return snapshot.tiers[0].model.latency_seconds == seconds && snapshot.prefill.base_seconds == seconds &&
           snapshot.question.base_seconds == seconds && snapshot.codec_costs.size() == 1 &&
           snapshot.codec_costs[0].seconds_per_token == seconds;
  }
  EngineParts parts;
  CostModel costs;
  CostScope settings;
};

class FrozenCostsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theFirstSessionSetsWhatTheLaterOnesCost() {
    MemoryProfileStore profiles;
    Session first(1), second(2);
    QVERIFY(first.freeze(&profiles));
    QCOMPARE(profiles.values.size(), std::size_t{1});
    QVERIFY(first.is_frozen_at(1));
    QVERIFY(second.freeze(&profiles));
    QCOMPARE(profiles.values.size(), std::size_t{1});
    QVERIFY(second.is_frozen_at(1));
    QVERIFY(second.parts.catalog->snapshot().contexts.size() == 1);  // costs alone come from there
  }

  void otherSettingsHaveCostsOfTheirOwn() {
    MemoryProfileStore profiles;
    Session first(1), slower(2), methods(3), workload(4);
    QVERIFY(first.freeze(&profiles));
    slower.settings.tiers[0].throttle.bytes_per_second = 1000;
    QVERIFY(slower.freeze(&profiles));
    QVERIFY(slower.is_frozen_at(2));
    methods.settings.methods = {"kivi4", "knorm"};
    QVERIFY(methods.freeze(&profiles));
    QVERIFY(methods.is_frozen_at(3));
    QVERIFY(freeze_costs(workload.parts.services(), workload.costs, workload.settings, {1, 3}, &profiles, {}));
    QVERIFY(workload.is_frozen_at(4));
    QCOMPARE(profiles.values.size(), std::size_t{4});
  }

  void aRunThatIsRepeatedBringsItsCosts() {
    MemoryProfileStore profiles;
    Session recorded(5), before(1), now(2);
    QVERIFY(before.freeze(&profiles));
    const auto given = recorded_snapshot(recorded.parts.catalog->snapshot(), "start");
    QVERIFY(now.freeze(&profiles, given));
    QVERIFY(now.is_frozen_at(5));
    Session after(3);
    QVERIFY(after.freeze(&profiles));
    QVERIFY(after.is_frozen_at(1));  // what was given is not kept for others
  }

  void costsOfOtherTiersAreRefused() {
    Session session(2);
    auto given = recorded_snapshot(session.parts.catalog->snapshot(), "start");
    given.tiers.push_back({.name = "ssd", .model = {}});
    const Status frozen = session.freeze(nullptr, given);
    QVERIFY(!frozen && frozen.error().code == ErrorCode::usage);
    QVERIFY2(frozen.error().message.find("have 2 tiers, but the session has 1") != std::string::npos,
             frozen.error().message.c_str());
    QVERIFY(!session.is_frozen_at(2));
  }

  void withoutADatabaseTheyStayWhatTheyAre() {
    Session session(2);
    QVERIFY(session.freeze(nullptr));
    QVERIFY(session.is_frozen_at(2));
  }

  void aDatabaseThatFailsOrHoldsSomethingElse() {
    MemoryProfileStore profiles;
    Session session(2);
    profiles.broken = {"load_value"};
    QVERIFY(!session.freeze(&profiles));
    profiles.broken = {"save_value"};
    QVERIFY(!session.freeze(&profiles));
    profiles.broken.clear();
    QVERIFY(session.freeze(&profiles));
    profiles.values.begin()->second = Json{{"no", "event"}};
    Session later(3);
    QVERIFY(later.freeze(&profiles));
    QVERIFY(later.is_frozen_at(3));
  }
};

KV_TEST_GUILESS_MAIN(FrozenCostsTest)

}  // namespace frozen_costs_test

#include "frozen_costs_test.moc"
