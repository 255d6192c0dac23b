// links: kv_ui_models
// Segments of unchanged settings from planted events: which requests are settled, with exact means, live and recorded.
#include <QTest>
#include <algorithm>
#include <functional>
#include <map>

#include "core/ports/placement_reasons.h"
#include "tests/support/test_program.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/live/frontier/model/recorded_segments.h"

namespace segments_test {

using namespace kvantage;

namespace {

/// A run whose every event is planted; a Frontier follows it as a live one.
struct PlantedRun {
  FrontierModel frontier;
  std::vector<Event> events;
  SessionSettings first, settings;

  PlantedRun() {
    first.policy = "evicpress";
    first.alpha = 1;
    first.tiers = {{.name = "dram", .budget = std::uint64_t{6} << 20}};
    settings = first;
    frontier.set_run("planted");
    frontier.set_committed(first);
  }

  void publish(double seconds, EventPayload payload) {
    Event event;
    event.sequence = events.size() + 1;
    event.monotonic_ns = 3'000'000'000 + static_cast<std::int64_t>(seconds * 1e9);
    event.payload = std::move(payload);
    frontier.follow(event);
    events.push_back(std::move(event));
  }
  void start(double seconds, std::uint64_t id) {
    publish(seconds, events::RequestStarted{id, "c" + std::to_string(id % 2), "odd", "?"});
  }
  void finish(double seconds, std::uint64_t id, double ttft, double quality, double queue = 0) {
    RequestRecord record;
    record.id = id;
    record.context_id = "c" + std::to_string(id % 2);
    record.family = id % 2 ? "odd" : "even";
    record.policy = settings.policy;
    record.alpha = settings.alpha;
    record.quality = {{"token_f1", quality}};
    record.timing.ttft_service_seconds = ttft;
    record.timing.queue_seconds = queue;
    publish(seconds, events::RequestFinished{record});
    frontier.add_request(record);
  }
  void serve(double seconds, std::uint64_t id, double ttft, double quality, double queue = 0) {
    start(seconds, id);
    finish(seconds, id, ttft, quality, queue);
  }
  void set_alpha(double seconds, double alpha) {
    publish(seconds, events::SettingChanged{"alpha", settings.alpha, alpha});
    settings.alpha = alpha;
    frontier.set_committed(settings);
  }
  void plan(double seconds, std::uint64_t actions) {
    events::PlanMade made;
    made.policy = settings.policy;
    made.actions = actions;
    publish(seconds, made);
  }
  void commit(double seconds, double took) {
    events::PlacementCommitted committed;
    committed.context_id = "c0";
    committed.seconds = took;
    publish(seconds, committed);
  }
  void fail(double seconds, std::string_view reason) {
    events::PlacementFailed failed;
    failed.context_id = "c0";
    failed.reason = std::string(reason);
    publish(seconds, failed);
  }
  RunSegments recorded() const {
    RunSummary summary;
    summary.run_id = "planted";
    summary.policy = first.policy;
    summary.settings = Json{{"settings", to_json(first)}};
    return recorded_segments(summary, events);
  }

  /// Three requests, a change with one in flight, a plan of two moves, and what is served until they have ended.
  void change_of_alpha() {
    serve(1, 1, 0.1, 1);
    serve(2, 2, 0.2, 0.5);
    serve(3, 3, 0.3, 0);
    start(3.5, 4);
    set_alpha(4, 2);
    plan(4, 2);
    settings.alpha = 1;
    finish(4.5, 4, 0.9, 0);  // was in flight
    settings.alpha = 2;
    serve(5, 5, 0.8, 0.2);
    commit(5.5, 0);
    serve(6, 6, 0.6, 0.4);
    fail(6.5, superseded_reason);  // a write of an older plan
    serve(7, 7, 0.4, 0.6);
    commit(7.5, 5);  // began before the plan
    serve(8, 8, 0.2, 0.8);
    fail(8.5, "disk full");  // the second of two
    serve(9, 9, 0.7, 0, 6);  // waited since before the change
    serve(10, 10, 0.05, 1);
    serve(11, 11, 0.15, 0.5);
  }
};

}  // namespace

class SegmentsTest : public QObject {
  Q_OBJECT

 private slots:
  void settledRequestsAreApartFromTheTransient() {
    PlantedRun run;
    run.change_of_alpha();
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{2});
    QCOMPARE(points[0].ttft.n, std::uint64_t{3});
    QCOMPARE(points[0].ttft.mean, 0.2);
    QCOMPARE(points[0].quality.mean, 0.5);
    QCOMPARE(points[0].transient_requests, std::uint64_t{1});
    QVERIFY(points[0].transient && !points[0].with_transient && !points[0].current);
    QCOMPARE(points[0].transient->ttft_seconds, 0.9);
    QCOMPARE(points[0].transient->quality, 0.0);
    QCOMPARE(points[1].alpha, 2.0);
    QCOMPARE(points[1].ttft.n, std::uint64_t{2});
    QCOMPARE(points[1].ttft.mean, 0.1);
    QCOMPARE(points[1].quality.mean, 0.75);
    QCOMPARE(points[1].transient_requests, std::uint64_t{5});
    QVERIFY(points[1].transient && !points[1].with_transient && points[1].current && !points[1].earlier);
    QCOMPARE(points[1].transient->ttft_seconds, 0.54);
    QCOMPARE(points[1].transient->quality, 0.4);
  }

  void theTransientCanBeKept() {
    PlantedRun run;
    run.change_of_alpha();
    run.frontier.set_split({.at_changes = true, .leave_out_transient = false});
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{2});
    QCOMPARE(points[0].ttft.n, std::uint64_t{4});
    QCOMPARE(points[0].ttft.mean, 1.5 / 4);
    QCOMPARE(points[1].ttft.n, std::uint64_t{7});
    QCOMPARE(points[1].ttft.mean, 2.9 / 7);
    QCOMPARE(points[1].quality.mean, 3.5 / 7);
    QVERIFY(points[0].with_transient && points[1].with_transient);
    QCOMPARE(points[1].transient_requests, std::uint64_t{5});
  }

  void aRunCanBeOnePoint() {
    PlantedRun run;
    run.change_of_alpha();
    run.frontier.set_split({.at_changes = false, .leave_out_transient = true});
    auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{1});
    QCOMPARE(points[0].ttft.n, std::uint64_t{5});
    QCOMPARE(points[0].ttft.mean, 0.8 / 5);
    QCOMPARE(points[0].alpha, 2.0);
    QCOMPARE(points[0].transient_requests, std::uint64_t{6});
    QVERIFY2(points[0].settings.startsWith("settings changed during this run"), qPrintable(points[0].settings));
    run.frontier.set_family("odd");  // 1 and 3 settled before, 11 after
    points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{1});
    QCOMPARE(points[0].ttft.n, std::uint64_t{3});
    QCOMPARE(points[0].ttft.mean, 0.55 / 3);
  }

  // Placements that move at a run's start, in flight or not: without a change nothing is left out.
  void withoutAChangeNothingIsLeftOut() {
    PlantedRun run;
    run.plan(0, 9);
    run.start(1, 1);
    run.start(1, 2);
    run.finish(2, 2, 0.4, 1, 5);
    run.plan(2, 4);
    run.finish(3, 1, 0.2, 0.5);
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{1});
    QCOMPARE(points[0].ttft.n, std::uint64_t{2});
    QCOMPARE(points[0].transient_requests, std::uint64_t{0});
    QVERIFY(!points[0].transient && !points[0].with_transient);
  }

  // A policy that makes no plan has nothing to wait for; a later plan takes the place of the one before.
  void aLaterPlanReplacesTheFirst() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.set_alpha(2, 2);
    run.serve(3, 2, 0.3, 1);  // no plan
    run.set_alpha(4, 3);
    run.plan(4, 5);
    run.serve(5, 3, 0.9, 0);
    run.plan(6, 1);
    run.commit(7, 0.5);
    run.serve(8, 4, 0.5, 1);
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{3});
    QCOMPARE(points[1].transient_requests, std::uint64_t{0});
    QCOMPARE(points[1].ttft.mean, 0.3);
    QCOMPARE(points[2].transient_requests, std::uint64_t{1});
    QCOMPARE(points[2].ttft.mean, 0.5);
  }

  // The next answer under a new setting is a point at once; it says that nothing is settled.
  void aSegmentWithoutSettledRequestsShowsItsTransient() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.set_alpha(2, 2);
    run.plan(2, 3);
    run.serve(3, 2, 0.7, 0.5);
    auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{2});
    QVERIFY(points[1].with_transient);
    QCOMPARE(points[1].ttft.mean, 0.7);
    for (int i = 0; i < 3; ++i) run.commit(4, 0);
    run.serve(5, 3, 0.2, 1);
    points = run.frontier.measured();
    QVERIFY(!points[1].with_transient);
    QCOMPARE(points[1].ttft.n, std::uint64_t{1});
    QCOMPARE(points[1].ttft.mean, 0.2);
  }

  void aPlanThatNeverEndsIsNotWaitedForForever() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.set_alpha(2, 2);
    run.plan(2, 1000);
    for (int i = 0; i < RunSegments::max_moving_starts + 3; ++i)
      run.serve(3 + i, static_cast<std::uint64_t>(2 + i), 0.5, 1);
    const auto points = run.frontier.measured();
    QCOMPARE(points[1].transient_requests, static_cast<std::uint64_t>(RunSegments::max_moving_starts));
    QCOMPARE(points[1].ttft.n, std::uint64_t{3});
  }

  // α moves on before anything was served under it: what began under it belongs to what follows, unsettled.
  void aSettingThatServedNothingLeavesNoPoint() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.set_alpha(2, 2);
    run.start(3, 2);
    run.set_alpha(4, 3);
    run.settings.alpha = 2;
    run.finish(5, 2, 0.8, 0);
    run.settings.alpha = 3;
    run.serve(6, 3, 0.2, 1);
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{2});
    QCOMPARE(points[1].alpha, 3.0);
    QCOMPARE(points[1].transient_requests, std::uint64_t{1});
    QCOMPARE(points[1].ttft.mean, 0.2);
  }

  // A stopped request is none, and a run that begins waits for nothing of the one before.
  void anotherRunBeginsSettled() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.set_alpha(2, 2);
    run.plan(2, 7);
    run.serve(3, 2, 0.3, 1);
    run.frontier.begin_run();
    run.frontier.set_run("second");
    run.serve(4, 1, 0.6, 0.5);
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{3});
    QVERIFY(points[0].earlier && points[1].earlier && !points[2].earlier);
    QCOMPARE(points[2].run, QString("second"));
    QCOMPARE(points[2].transient_requests, std::uint64_t{0});
    QCOMPARE(run.frontier.segments().earlier_runs().size(), std::size_t{1});
  }

  // The same events make the same points, intervals included.
  void aRecordedRunHasThePointsOfTheLiveOne() {
    PlantedRun run;
    run.change_of_alpha();
    const auto live = run.frontier.measured();
    const auto recorded = run.recorded().points({}, [](const GrowingMean& mean) { return mean.measured(); });
    QCOMPARE(recorded.size(), live.size());
    for (std::size_t i = 0; i < live.size(); ++i) {
      QCOMPARE(recorded[i].run, QString("planted"));
      QCOMPARE(recorded[i].settings, live[i].settings);
      QCOMPARE(recorded[i].ttft.n, live[i].ttft.n);
      QCOMPARE(recorded[i].ttft.mean, live[i].ttft.mean);
      QCOMPARE(recorded[i].ttft.low, live[i].ttft.low);
      QCOMPARE(recorded[i].quality.high, live[i].quality.high);
      QCOMPARE(recorded[i].transient_requests, live[i].transient_requests);
      QCOMPARE(recorded[i].transient->ttft_seconds, live[i].transient->ttft_seconds);
    }
    const std::vector<std::string> known = segment_event_types();
    for (const Event& event : run.events)
      QVERIFY2(std::ranges::find(known, std::string(event_type(event.payload))) != known.end(),
               event_type(event.payload));
  }

  void whatDecidesAnswersOrTimesStartsAPoint_data() {
    QTest::addColumn<QString>("shown");  // of the new point; empty: the change starts none
    QTest::newRow("max_batch") << "max concurrency: 4";
    QTest::newRow("prefill_batch_tokens") << "prefill batch: 0";
    QTest::newRow("compute_or_load") << "compute or load: off";
    QTest::newRow("decode_eviction") << "decode eviction: knorm(budget=25%)";
    QTest::newRow("decode_offload") << "decode offload: ssd(split=load_only)";
    QTest::newRow("speculation") << "speculation: lookup(n=2)";
    QTest::newRow("attend_quantized") << "attend on quantized KV";
    QTest::newRow("products") << "matrix products: batch_invariant";
    QTest::newRow("quality_bound") << "quality in plans: lower bound";
    QTest::newRow("requests_per_second") << "";
    QTest::newRow("reprofile") << "";
    QTest::newRow("good_enough") << "";
  }
  void whatDecidesAnswersOrTimesStartsAPoint() {
    QFETCH(const QString, shown);
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    const QString before = run.frontier.measured().at(0).settings;
    SessionSettings& now = run.settings;
    const std::map<QString, std::function<void()>> changes{
        {"max_batch", [&] { now.max_batch = 4; }},
        {"prefill_batch_tokens", [&] { now.prefill_batch_tokens = 0; }},
        {"compute_or_load", [&] { now.compute_or_load = "off"; }},
        {"decode_eviction", [&] { now.decode_eviction = "knorm(budget=25%)"; }},
        {"decode_offload", [&] { now.decode_offload = "ssd(split=load_only)"; }},
        {"speculation", [&] { now.speculation = "lookup(n=2)"; }},
        {"attend_quantized", [&] { now.attend_quantized = true; }},
        {"products", [&] { now.products = batch_invariant_products; }},
        {"quality_bound", [&] { now.quality_bound = QualityBound::lower; }},
        {"requests_per_second", [&] { now.requests_per_second = 3; }},
        {"reprofile", [&] { now.reprofile = false; }},
        {"good_enough", [&] { now.good_enough = 0.5; }}};
    changes.at(QTest::currentDataTag())();
    run.frontier.set_committed(now);
    run.serve(2, 2, 0.3, 0);
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), shown.isEmpty() ? std::size_t{1} : std::size_t{2});
    QCOMPARE(points[0].ttft.n, shown.isEmpty() ? std::uint64_t{2} : std::uint64_t{1});
    QCOMPARE(points[0].settings, before);
    if (shown.isEmpty()) return;
    QVERIFY2(points[1].settings.split('\n').contains(shown), qPrintable(points[1].settings));
    QCOMPARE(points[1].ttft.mean, 0.3);
  }

  // Without its start, a request belongs to the newest settings that it can have been served under.
  void decodeOffloadTellsTheSegmentOfARequest() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.settings.decode_offload = "ssd";
    run.frontier.set_committed(run.settings);
    RequestRecord record;
    record.policy = run.settings.policy;
    record.alpha = run.settings.alpha;
    record.quality = {{"token_f1", 0.5}};
    record.timing.ttft_service_seconds = 0.9;
    record.id = 2;
    run.frontier.add_request(record);  // ended under the settings before
    record.id = 3;
    record.timing.ttft_service_seconds = 0.5;
    record.decoding.offload = OffloadRecord{.setting = "ssd", .not_applied = {}};
    run.frontier.add_request(record);
    const auto points = run.frontier.measured();
    QCOMPARE(points.size(), std::size_t{2});
    QCOMPARE(points[0].ttft.n, std::uint64_t{2});
    QCOMPARE(points[0].ttft.mean, 0.5);
    QCOMPARE(points[1].ttft.n, std::uint64_t{1});
    QCOMPARE(points[1].ttft.mean, 0.5);
  }

  // Keyframes of a replay: what is served later leaves a copy alone.
  void aCopyIsLeftAlone() {
    PlantedRun run;
    run.serve(1, 1, 0.1, 1);
    run.start(2, 2);
    const FrontierModel::Measurements copy = run.frontier.measurements();
    run.finish(3, 2, 0.3, 0);
    QCOMPARE(run.frontier.measured().at(0).ttft.n, std::uint64_t{2});
    run.frontier.set_measurements(copy);
    QCOMPARE(run.frontier.measured().at(0).ttft.n, std::uint64_t{1});
    QCOMPARE(run.frontier.measured().at(0).ttft.mean, 0.1);
    run.finish(3, 2, 0.3, 0);  // its start is part of the copy
    QCOMPARE(run.frontier.measured().at(0).ttft.mean, 0.2);
    QCOMPARE(copy.points({}, [](const GrowingMean& mean) { return mean.without_interval(); }).at(0).ttft.n,
             std::uint64_t{1});
  }
};

KV_TEST_GUILESS_MAIN(SegmentsTest)

}  // namespace segments_test

#include "segments_test.moc"
