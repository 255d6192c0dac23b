// links: core_engine tiers
// What follows from requests over all parts, without a scheduler or a loop: each request is served by the test and
// handed in. What needs no other part is in request_outcomes_test.
#include "core/engine/request_outcomes.h"

#include <QtTest>

#include "tests/support/session_parts.h"
#include "tests/support/test_program.h"

namespace outcomes_in_session_test {

using namespace kvantage;
using namespace kvantage::test;

struct Outcomes : WholeParts {
  Outcomes() {
    parts.planner.use("off", {});
    world.catalog->snapshot().alpha = 1;
  }
  /// A request that was served alone.
  ServedRequest request(std::size_t context, std::optional<CacheHit> hit = std::nullopt, std::uint64_t id = 1) {
    ServedRequest request;
    request.arrival = {.context = context, .question = 0, .id = id};
    request.entry = hit ? hit->context : context;
    request.entry_header = world.catalog->details(request.entry).header;
    request.task = served(world, context, 0, std::move(hit));
    request.task->record().id = id;
    request.task->record().context_id = world.catalog->state(context).id;
    return request;
  }
  CacheHit stored_hit(std::size_t context) {
    store_context(world, context, {.tier = 0});
    return world.store->find(world.catalog->details(context).tokens).value();
  }
};

class OutcomesInSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatWasComputedIsKeptAndTheContextPlaced() {
    Outcomes outcomes;
    ServedRequest request = outcomes.request(0);
    outcomes.parts.outcomes.context_served(request);
    QVERIFY(outcomes.world.store->originals().cached(0) != nullptr);
    const auto computed = outcomes.world.sink.all<events::ContextComputed>();
    QCOMPARE(computed.size(), std::size_t{1});
    QVERIFY(computed[0].context == outcomes.state(0).key);
    QVERIFY(outcomes.state(0).placement.stored());  // a reducer's actions are carried out at once
    QVERIFY(outcomes.parts.outcomes.take_placing_turn());
    QVERIFY(!outcomes.parts.outcomes.take_placing_turn());
    QVERIFY(outcomes.world.catalog->changed());
  }

  void aHitKeepsNoOriginal() {
    Outcomes outcomes;
    const CacheHit hit = outcomes.stored_hit(0);
    (void)outcomes.world.store->originals().forget();
    ServedRequest request = outcomes.request(0, hit);
    outcomes.parts.outcomes.context_served(request);
    QVERIFY(outcomes.world.store->originals().cached(0) == nullptr);
    QCOMPARE(outcomes.world.sink.count<events::ContextComputed>(), std::size_t{0});
    QVERIFY(!outcomes.parts.outcomes.take_placing_turn());
    QCOMPARE(outcomes.world.store->tiers().fit(0).samples(), 1);  // the tier's fit has learned the load
  }

  void anAnswerIsScoredAndReported() {
    Outcomes outcomes;
    ServedRequest request = outcomes.request(0, std::nullopt, 7);
    outcomes.parts.outcomes.answered(request);
    const auto finished = outcomes.world.sink.all<events::RequestFinished>();
    QCOMPARE(finished.size(), std::size_t{1});
    QCOMPARE(finished[0].record.id, std::uint64_t{7});
    QVERIFY(finished[0].record.quality.contains("token_f1"));
    QVERIFY(outcomes.parts.recorder.counters().so_far().serving_seconds >= 0);
    QVERIFY(outcomes.parts.outcomes.take_placing_turn());
  }

  void theEndOfARequestIsSaidOnce() {
    Outcomes outcomes;
    QVERIFY(!outcomes.parts.outcomes.take_ended());
    ServedRequest request = outcomes.request(0);
    outcomes.parts.outcomes.ended(request);
    QVERIFY(outcomes.parts.outcomes.take_ended());
    QVERIFY(!outcomes.parts.outcomes.take_ended());
    QCOMPARE(outcomes.world.sink.count<events::DriftDetected>(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(OutcomesInSessionTest)

}  // namespace outcomes_in_session_test

#include "outcomes_in_session_test.moc"
