// links: core_engine tiers
// The begin and the end of a run, alone: what it asks of the other parts, in order, and what it does itself.
#include "core/engine/run_lifecycle.h"

#include <QtTest>

#include "core/base/duration.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace run_lifecycle_test {

using namespace kvantage;
using namespace kvantage::test;

using Asked = std::vector<std::string>;

struct ShownRun final : PublishedRun {
  void set_run_id(const std::string& shown) override { id = shown; }
  std::string id;
};

/// Keeps what is asked, and what the world looked like meanwhile.
struct AskedParts final : RunParts {
  AskedParts(const EngineParts& world, const ShownRun& published) : world_(world), published_(published) {}

  void inject_all_faults(const std::vector<TierConfig>& tiers, bool enabled) override {
    note((enabled ? "inject " + tiers.at(0).faults : "no faults") + ", " +
         std::to_string(world_.dram->entries().size()) + " entries");
  }
  void begin_requests(bool cold) override { note(cold ? "requests, cold" : "requests, warm"); }
  void begin_arrivals(std::uint64_t request_limit, double requests_per_second) override {
    note("arrivals: " + std::to_string(request_limit) + " at " + shortest_number(requests_per_second));
  }
  void start_arrival_clock() override { note("arrival clock"); }
  std::size_t warmup_requests() const override { return 5; }
  void open_record(const std::string& id, Json facts) override {
    note("open record" + shown());
    opened_id = id;
    opened_facts = std::move(facts);
  }
  void begin_record() override { note("begin record" + shown()); }
  void finish_record(const std::string& outcome) override { note("finish record: " + outcome); }
  Status save_calibration(const std::string& id, const std::vector<double>& seconds) override {
    note("save calibration of " + id + ": " + Json(seconds).dump());
    return calibration_saved;
  }
  void reset_counters() override { note("reset counters"); }
  void forget_actions() override { note("forget actions"); }
  void dispatch_event(const PolicyEvent& event) override {
    note(event.kind == PolicyEvent::Kind::settings_changed ? "settings_changed" : "another event");
  }
  void take_failed_writes() override {
    note("failed writes, " + std::to_string(world_.dram->held_writes()) + " in flight");
  }
  void forget_popularity() override { note("forget popularity"); }
  Status save_popularity() override {
    note("save popularity");
    return popularity_saved;
  }
  void drop_drift_assumptions() override { note("drop assumptions"); }
  void forget_answers() override { note("forget answers"); }
  void restore_first_curves() override { note("first curves"); }
  void recheck_curves() override { note("recheck curves"); }
  Status time_model() override {
    note("time the model");
    return {};
  }
  Status save_references(const ProfileScope& scope) override {
    note("save references of " + scope.quality_metric);
    return references_saved;
  }

  Asked asked;
  std::string opened_id;
  Json opened_facts;
  Status references_saved, popularity_saved, calibration_saved;

  /// As the parts are asked.
  struct Timed final : RunCalibration {
    explicit Timed(AskedParts& parts) : parts_(parts) {}
    void before_run() override { parts_.note("time the machine"); }
    std::vector<double> after_run() override {
      parts_.note("time the machine");
      return {0.25, 0.5};
    }

   private:
    AskedParts& parts_;
  };

 private:
  void note(const std::string& what) { asked.push_back(what); }
  /// Whoever sees the id of a run must find it recorded.
  std::string shown() const { return published_.id.empty() ? "" : ", shown as " + published_.id; }

  const EngineParts& world_;
  const ShownRun& published_;
};

struct OneRun {
  explicit OneRun(RunLifecycle::Options of = {}) : options(std::move(of)) {
    settings.tiers = {{.name = "dram", .budget = EngineParts::tier_bytes, .faults = "seed 1"}};
    settings.request_limit = 3;
    settings.requests_per_second = 2.5;
    store_context(world, 0, {.tier = 0});
  }
  std::vector<std::string> messages() const {
    std::vector<std::string> texts;
    for (const auto& message : world.sink.all<events::Message>()) texts.push_back(message.text);
    return texts;
  }

  RunLifecycle::Options options;
  SessionSettings settings;
  EngineParts world{small_workload(2, 8, 3, 2), with_pool(32 << 20)};
  ShownRun published;
  SpanKeeper spans;
  AskedParts parts{world, published};
  RunLifecycle lifecycle{world.services(), parts, published, spans, options};
  ProfileScope scope{.model = {}, .workload = {}, .quality_metric = "rouge_l"};
};

struct Memory final : PolicyMemory {};

class RunLifecycleTest : public QObject {
  Q_OBJECT

  static RequestSpans spans_of(std::uint64_t request) {
    RequestSpans spans;
    spans.request = request;
    return spans;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // With nothing else running, before anything arrives; a frozen session knows no times.
  void theModelIsTimedAgainWhereThatIsAsked() {
    for (const bool frozen : {false, true}) {
      OneRun run({.time_each_run = true, .frozen = frozen});
      run.lifecycle.begin(run_settings_of(run.settings));
      const auto timed = std::ranges::find(run.parts.asked, "time the model");
      QCOMPARE(timed != run.parts.asked.end(), !frozen);
      if (frozen) continue;
      QCOMPARE(*std::prev(timed), std::string("requests, warm"));
      QCOMPARE(*std::next(timed), std::string("arrivals: 3 at 2.5"));
    }
  }

  // A fixed load around the run, with no request in between and none of its record to write.
  void theMachineIsTimedAroundARunWhereThatIsAsked() {
    const auto timed = [](const Asked& asked) { return std::ranges::count(asked, "time the machine"); };
    for (const char* outcome : {"finished", "stopped", "closed"}) {
      OneRun run;
      RunLifecycle::Options options;
      options.calibration = std::make_shared<AskedParts::Timed>(run.parts);
      RunLifecycle lifecycle(run.world.services(), run.parts, run.published, run.spans, options);
      lifecycle.begin(run_settings_of(run.settings));
      const auto before = std::ranges::find(run.parts.asked, "time the machine");
      QVERIFY(before != run.parts.asked.end() && *std::next(before) == "arrivals: 3 at 2.5");
      QCOMPARE(timed(run.parts.asked), 1);
      lifecycle.finish(outcome, run.scope);
      const std::string finished = std::string("finish record: ") + outcome;
      if (std::string(outcome) == "closed") {  // nobody waits for it
        QCOMPARE(run.parts.asked.back(), finished);
        continue;
      }
      const Asked last(run.parts.asked.end() - 3, run.parts.asked.end());
      QCOMPARE(last,
               (Asked{finished, "time the machine", "save calibration of " + run.parts.opened_id + ": [0.25,0.5]"}));
      QCOMPARE(run.messages(), std::vector<std::string>{});
      run.parts.calibration_saved = fail(ErrorCode::io, "the disk is full");
      lifecycle.finish(outcome, run.scope);
      QCOMPARE(run.messages(), std::vector<std::string>{"the calibration is not saved: the disk is full"});
    }
    OneRun run;
    run.lifecycle.begin(run_settings_of(run.settings));
    run.lifecycle.finish("finished", run.scope);
    QCOMPARE(timed(run.parts.asked), 0);
  }

  void aWarmRunKeepsWhatIsStored() {
    OneRun run;
    run.spans.keep(spans_of(1));
    run.world.catalog->policy_state().memory = std::make_shared<Memory>();
    run.lifecycle.begin(run_settings_of(run.settings));
    const Asked wanted{"no faults, 1 entries",
                       "drop assumptions",
                       "forget answers",
                       "reset counters",
                       "recheck curves",
                       "requests, warm",
                       "arrivals: 3 at 2.5",
                       "inject seed 1, 1 entries",
                       "arrival clock",
                       "open record",
                       "begin record, shown as " + run.parts.opened_id,
                       "settings_changed"};
    QVERIFY2(run.parts.asked == wanted, qPrintable(QString::fromStdString(Json(run.parts.asked).dump(1))));
    QVERIFY(run.world.catalog->state(0).placement.stored() && run.world.catalog->state(0).archived);
    QVERIFY(run.world.catalog->policy_state().memory != nullptr);
    QVERIFY(run.spans.of(1) == nullptr);  // ids of requests restart
  }

  void aColdRunForgetsAllThatWasStored() {
    OneRun run({.cold_start = true});
    run.world.catalog->policy_state().memory = std::make_shared<Memory>();
    run.lifecycle.begin(run_settings_of(run.settings));
    const Asked wanted{"no faults, 1 entries",
                       "forget actions",
                       "forget popularity",
                       "drop assumptions",
                       "first curves",
                       "forget answers",
                       "reset counters",
                       "recheck curves",
                       "requests, cold",
                       "arrivals: 3 at 2.5",
                       "inject seed 1, 0 entries",  // none is injected while tiers are emptied
                       "arrival clock",
                       "open record",
                       "begin record, shown as " + run.parts.opened_id,
                       "settings_changed"};
    QVERIFY2(run.parts.asked == wanted, qPrintable(QString::fromStdString(Json(run.parts.asked).dump(1))));
    QVERIFY(!run.world.catalog->state(0).placement.stored());
    QVERIFY(run.world.catalog->policy_state().memory == nullptr);  // it describes stores that are empty now
    QVERIFY(run.world.catalog->state(0).archived);
  }

  void onlyAFrozenColdRunGoesWithoutTheArchive_data() {
    QTest::addColumn<bool>("frozen");
    QTest::addColumn<bool>("cold");
    QTest::newRow("neither") << false << false;
    QTest::newRow("frozen") << true << false;
    QTest::newRow("cold") << false << true;
    QTest::newRow("both") << true << true;
  }
  void onlyAFrozenColdRunGoesWithoutTheArchive() {
    QFETCH(bool, frozen);
    QFETCH(bool, cold);
    OneRun run({.cold_start = cold, .frozen = frozen});
    run.lifecycle.begin(run_settings_of(run.settings));
    QCOMPARE(run.world.catalog->state(0).archived, !(frozen && cold));
  }

  void theRecordSaysWhatTheRunRestsOn() {
    OneRun run({.seed = 7,
                .frozen = true,
                .workload = "small",
                .workload_digest = digest_of("small"),
                .facts = {{"group", "of the test"}, {"environment", {{"host", "here"}}}}});
    run.lifecycle.begin(run_settings_of(run.settings));
    const Json& facts = run.parts.opened_facts;
    QCOMPARE(facts["settings"], to_json(run.settings));
    QCOMPARE(facts["warmup"], Json(5));
    QCOMPARE(facts["cold_start"], Json(false));
    QCOMPARE(facts["frozen"], Json(true));
    QVERIFY(!facts.contains("endless"));
    QCOMPARE(facts["group"], Json("of the test"));
    QCOMPARE(facts["kv_bytes_per_token"], Json(run.world.runtime->model->kv_shape().bytes_per_token()));
    QCOMPARE(facts["prefill_chunk_tokens"], Json(run.world.runtime->chunk_tokens()));
    const Json& environment = facts["environment"];
    QCOMPARE(environment["host"], Json("here"));  // beside those that were given
    QCOMPARE(environment["seed"], Json(7));
    QCOMPARE(environment["workload"], Json("small"));
    QCOMPARE(environment["workload_digest"], Json(digest_of("small").hex()));
    QCOMPARE(environment["model_digest"], Json(run.world.runtime->digest().hex()));
    QCOMPARE(environment["run_id"], Json(run.parts.opened_id));
    QVERIFY(!run.parts.opened_id.empty());
  }

  void theEndWaitsForWritesOrCancelsThem_data() {
    QTest::addColumn<QString>("outcome");
    QTest::newRow("the sequence ended") << "finished";
    QTest::newRow("stopped") << "stopped";
  }
  void theEndWaitsForWritesOrCancelsThem() {
    QFETCH(QString, outcome);
    const bool finished = outcome == "finished";
    OneRun run;
    compute_original(run.world, 1, false);
    run.world.dram->holds_writes = !finished;
    must(run.world.store->commit({.context = run.world.catalog->state(1).key,
                                  .kind = ActionKind::store,
                                  .from = {},
                                  .to = {.tier = 0},
                                  .reason = "by a test"}));
    run.lifecycle.finish(outcome.toStdString(), run.scope);
    const Asked wanted{"failed writes, 0 in flight", "save references of rouge_l", "save popularity",
                       "finish record: " + outcome.toStdString()};
    QVERIFY2(run.parts.asked == wanted, qPrintable(QString::fromStdString(Json(run.parts.asked).dump(1))));
    QCOMPARE(run.world.catalog->state(1).placement.stored(), finished);
    QCOMPARE(run.messages(), std::vector<std::string>{});
  }

  void whatCannotBeSavedIsAWarningAndTheRunEnds() {
    OneRun run;
    run.parts.references_saved = fail(ErrorCode::io, "the database is locked");
    run.parts.popularity_saved = fail(ErrorCode::io, "the disk is full");
    run.lifecycle.finish("finished", run.scope);
    QCOMPARE(run.messages(), (std::vector<std::string>{"reference answers are not saved: the database is locked",
                                                       "request frequencies are not saved: the disk is full"}));
    QCOMPARE(run.parts.asked.back(), std::string("finish record: finished"));
  }
};

KV_TEST_GUILESS_MAIN(RunLifecycleTest)

}  // namespace run_lifecycle_test

#include "run_lifecycle_test.moc"
