// links: kv_experiments kv_tiers
// What follows from requests, without a scheduler or a loop: each request is served by the test and handed in.
#include "core/engine/request_outcomes.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace request_outcomes_test {

using namespace kvantage;
using namespace kvantage::test;

struct NoRequests final : RequestsBesideProfiling {
  bool any() const override { return false; }
  bool leave_time() const override { return true; }
  bool one_could_begin() const override { return false; }
  bool come_at_a_rate() const override { return false; }
  void profile_step_begins() override {}
  void profile_step_ended(std::int64_t, std::int64_t) override {}
};

struct Outcomes {
  explicit Outcomes(const std::string& policy = "lru") {
    planner.use("off");
    quality.use_metric("token_f1");
    must(placement.use_policy(policy));
    parts.catalog->snapshot().alpha = 1;
  }
  /// A request that was served alone.
  ServedRequest request(std::size_t context, std::optional<CacheHit> hit = std::nullopt, std::uint64_t id = 1) {
    ServedRequest request;
    request.arrival = {.context = context, .question = 0, .id = id};
    request.entry = hit ? hit->context : context;
    request.entry_header = parts.catalog->details(request.entry).header;
    request.task = served(parts, context, 0, std::move(hit));
    request.task->record().id = id;
    request.task->record().context_id = parts.catalog->state(context).id;
    return request;
  }
  CacheHit stored_hit(std::size_t context) {
    store_context(parts, context, {.tier = 0});
    return parts.store->find(parts.catalog->details(context).tokens).value();
  }
  const ContextState& state(std::size_t context) { return parts.catalog->state(context); }

  EngineParts parts{small_workload(2, 8, 3), with_pool(32 << 20)};
  JournalSink journal{nullptr};
  MemoryProfileStore profiles;
  QualityMeter meter;
  NoRequests no_requests;
  InspectionMailbox mailbox;
  SpanKeeper spans;
  RunRecorder recorder{parts.services(), journal, nullptr};
  CostModel costs{parts.services()};
  HitPlanner planner{parts.services(), costs, false};
  TierMonitor tiers{parts.services(), costs, recorder, {}};
  PlacementExecutor placement{parts.services(), recorder.counters(), [] { return true; }, false};
  AnswerQuality quality{parts.services(), parts.serving_clock, meter, &profiles, 12};
  QualityCurves curves{parts.services(), quality};
  DriftMonitor drift{parts.services(), curves, recorder.counters(), false};
  ContextInspector inspector{parts.services(), parts.serving_clock, mailbox, 12};
  ProgressReporter progress{parts.events};
  QualityProfiler profiler{parts.services(),
                           parts.serving_clock,
                           {curves, drift, quality, meter},
                           no_requests,
                           recorder,
                           progress,
                           {.store = &profiles, .max_answer_tokens = 12}};
  std::vector<TierConfig> settings{{.name = "dram", .budget = 1000}};
  RequestOutcomes outcomes{parts.services(),
                           {.costs = costs,
                            .planner = planner,
                            .quality = quality,
                            .drift = drift,
                            .profiler = profiler,
                            .inspector = inspector,
                            .placement = placement,
                            .tiers = tiers,
                            .recorder = recorder,
                            .spans = spans},
                           settings};
};

class RequestOutcomesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatWasComputedIsKeptAndTheContextPlaced() {
    Outcomes outcomes;
    ServedRequest request = outcomes.request(0);
    outcomes.outcomes.context_served(request);
    QVERIFY(outcomes.parts.store->originals().cached(0) != nullptr);
    const auto computed = outcomes.parts.sink.all<events::ContextComputed>();
    QCOMPARE(computed.size(), std::size_t{1});
    QVERIFY(computed[0].context == outcomes.state(0).key);
    QVERIFY(outcomes.state(0).placement.stored());  // a reducer's actions are carried out at once
    QVERIFY(outcomes.outcomes.take_placing_turn());
    QVERIFY(!outcomes.outcomes.take_placing_turn());
    QVERIFY(outcomes.parts.catalog->changed());
  }

  void aHitKeepsNoOriginal() {
    Outcomes outcomes;
    const CacheHit hit = outcomes.stored_hit(0);
    (void)outcomes.parts.store->originals().forget();
    ServedRequest request = outcomes.request(0, hit);
    outcomes.outcomes.context_served(request);
    QVERIFY(outcomes.parts.store->originals().cached(0) == nullptr);
    QCOMPARE(outcomes.parts.sink.count<events::ContextComputed>(), std::size_t{0});
    QVERIFY(!outcomes.outcomes.take_placing_turn());
    QCOMPARE(outcomes.parts.store->tiers().fit(0).samples(), 1);  // the tier's fit has learned the load
  }

  // A request that is preempted and served again is still one request.
  void aRequestIsCountedOnce() {
    Outcomes outcomes;
    ServedRequest first = outcomes.request(0);
    outcomes.outcomes.context_served(first);
    const double once = outcomes.state(0).frequency;
    QVERIFY(once > 0 && first.arrival.counted);
    ServedRequest again = outcomes.request(0, std::nullopt, 2);
    again.arrival.counted = true;
    outcomes.outcomes.context_served(again);
    QCOMPARE(outcomes.state(0).frequency, once);
  }

  void anEntryThatCannotBeReadIsDropped_data() {
    QTest::addColumn<bool>("rewritten");
    QTest::newRow("the one that was read") << false;
    QTest::newRow("written again meanwhile") << true;
  }
  void anEntryThatCannotBeReadIsDropped() {
    QFETCH(bool, rewritten);
    Outcomes outcomes;
    CacheHit hit = outcomes.stored_hit(0);
    must(outcomes.parts.dram->erase(hit.info.key));
    ServedRequest request = outcomes.request(0, std::move(hit));
    QVERIFY(request.task->failed_read().has_value());
    ContextDetails& details = outcomes.parts.catalog->details(0);
    if (rewritten) details.header = std::make_shared<const EntryHeader>(*details.header);
    outcomes.outcomes.context_served(request);
    const auto failed = outcomes.parts.sink.all<events::ReadFailed>();
    QCOMPARE(failed.size(), std::size_t{rewritten ? 0U : 1U});
    for (const events::ReadFailed& read : failed) QVERIFY(read.context == outcomes.state(0).key && read.dropped);
  }

  void anAnswerIsScoredAndReported() {
    Outcomes outcomes;
    ServedRequest request = outcomes.request(0, std::nullopt, 7);
    outcomes.outcomes.answered(request);
    const auto finished = outcomes.parts.sink.all<events::RequestFinished>();
    QCOMPARE(finished.size(), std::size_t{1});
    QCOMPARE(finished[0].record.id, std::uint64_t{7});
    QVERIFY(finished[0].record.quality.contains("token_f1"));
    QVERIFY(outcomes.recorder.counters().so_far().serving_seconds >= 0);
    QVERIFY(outcomes.outcomes.take_placing_turn());
  }

  void theEndOfARequestIsSaidOnce() {
    Outcomes outcomes;
    QVERIFY(!outcomes.outcomes.take_ended());
    ServedRequest request = outcomes.request(0);
    outcomes.outcomes.ended(request);
    QVERIFY(outcomes.outcomes.take_ended());
    QVERIFY(!outcomes.outcomes.take_ended());
    QCOMPARE(outcomes.parts.sink.count<events::DriftDetected>(), std::size_t{0});
  }

  void cachedMemoryIsGivenUpForRequests() {
    Outcomes outcomes;
    QVERIFY(!outcomes.outcomes.free_memory());  // nothing is cached
    compute_original(outcomes.parts, 0, false);
    QVERIFY(outcomes.outcomes.free_memory());
    QVERIFY(outcomes.parts.store->originals().cached(0) == nullptr);
    QVERIFY(!outcomes.outcomes.free_memory());
  }
};

KV_TEST_GUILESS_MAIN(RequestOutcomesTest)

}  // namespace request_outcomes_test

#include "request_outcomes_test.moc"
