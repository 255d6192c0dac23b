// links: core_store tiers
// The part of the engine that keeps the record of a run, without the others.
#include "core/store/run_recorder.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace run_recorder_test {

using namespace kvantage;
using namespace kvantage::test;

struct Record {
  explicit Record(bool keeps = true)
      : journal(keeps ? &runs : nullptr),
        parts(small_workload(2, 8, 3), {}, {&journal}),
        recorder(parts.services(), journal, keeps ? &runs : nullptr) {}
  void begin(const std::string& id) {
    recorder.open(id, Json{{"seed", 7}});
    recorder.begin();
  }
  template <class T>
  std::vector<T> journaled() const {
    std::vector<T> found;
    for (const Event& event : runs.appended)
      if (const T* payload = std::get_if<T>(&event.payload)) found.push_back(*payload);
    return found;
  }
  MemoryRunStore runs;
  JournalSink journal;
  EngineParts parts;
  RunRecorder recorder;
};

class RunRecorderTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aRunIsNumberedFromOneAndNothingOutsideItIsJournaled() {
    Record record;
    record.parts.events.publish(events::Message{"info", "before"});
    QVERIFY(!record.recorder.in_run());
    for (const std::string id : {"run-1", "run-2"}) {
      record.runs.appended.clear();
      record.begin(id);
      QVERIFY(record.recorder.in_run());
      record.recorder.on_first_token();
      record.recorder.on_first_token();
      record.recorder.finish("stopped");
      QVERIFY(!record.recorder.in_run());
      record.parts.events.publish(events::Message{"info", "between"});
      QCOMPARE(record.runs.begun.back().id, id);
      QCOMPARE(record.runs.begun.back().settings.at("seed").get<int>(), 7);
      QCOMPARE(record.runs.begun.back().outcome, std::string("stopped"));
      const std::vector<Event>& events = record.runs.appended;
      for (std::size_t i = 0; i < events.size(); ++i) QCOMPARE(events[i].sequence, i + 1);
      const auto* const started = std::get_if<events::RunStarted>(&events.front().payload);
      QVERIFY(started != nullptr && started->run_id == id && started->settings.at("seed") == 7);
      const auto* const finished = std::get_if<events::RunFinished>(&events.back().payload);
      QVERIFY(finished != nullptr && finished->run_id == id && finished->outcome == "stopped");
      QCOMPARE(finished->requests, std::uint64_t{2});  // of this run
      QCOMPARE(record.journaled<events::Message>().size(), std::size_t{0});
    }
  }

  // The store has a run before anybody is notified of it, and who opens one may say so in between.
  void aRunIsOpenedBeforeItBegins() {
    Record record;
    record.recorder.open("run-1", Json::object());
    QVERIFY(record.recorder.in_run());
    QCOMPARE(record.runs.begun.size(), std::size_t{1});
    QVERIFY(record.runs.appended.empty() && record.parts.sink.events.empty());
    record.recorder.begin();
    QCOMPARE(record.journaled<events::RunStarted>().size(), std::size_t{1});
  }

  void aRunBeginsWithWhatDecisionsRestOn() {
    Record record;
    record.parts.catalog->snapshot().tiers[0].model.bytes_per_second = 123;
    record.begin("run-1");
    const auto fitted = record.journaled<events::TierFitted>();
    QCOMPARE(fitted.size(), std::size_t{1});
    QCOMPARE(fitted[0].model.bytes_per_second, 123.0);
    QCOMPARE(record.journaled<events::TierOccupancy>().size(), std::size_t{1});
    const auto taken = record.journaled<events::SnapshotTaken>();
    QCOMPARE(taken.size(), std::size_t{1});
    QCOMPARE(taken[0].reason, std::string("start"));
    QCOMPARE(taken[0].contexts.size(), std::size_t{2});
  }

  void costsAreToldWhenTheyAreOthers() {
    Record record;
    Snapshot& snapshot = record.parts.catalog->snapshot();
    const auto told = [&] { return record.parts.sink.count<events::CostsFitted>(); };
    record.recorder.publish_costs();
    record.recorder.publish_snapshot("settings");
    QVERIFY(record.parts.sink.events.empty());  // no run
    record.begin("run-1");
    record.recorder.publish_costs();
    QCOMPARE(told(), std::size_t{0});  // those of the start
    snapshot.prefill.base_seconds = 3;
    record.recorder.publish_costs();
    record.recorder.publish_costs();
    QCOMPARE(told(), std::size_t{1});
    QCOMPARE(record.journaled<events::CostsFitted>()[0].prefill.base_seconds, 3.0);
    snapshot.tiers[0].model.latency_seconds = 4;
    record.recorder.publish_snapshot("settings");  // reports them, too
    record.recorder.publish_costs();
    QCOMPARE(told(), std::size_t{1});
    QCOMPARE(record.journaled<events::SnapshotTaken>().size(), std::size_t{2});
  }

  void aDeletedStoreIsSaidOnceAtTheNextRequest() {
    Record record;
    record.begin("run-1");
    record.recorder.on_first_token();
    QCOMPARE(record.parts.sink.count<events::Message>(), std::size_t{0});
    record.runs.trouble = Error{ErrorCode::io, "a.db: was deleted"};
    record.recorder.on_first_token();
    record.recorder.on_first_token();
    record.recorder.finish("finished");
    const auto said = record.parts.sink.all<events::Message>();
    QCOMPARE(said.size(), std::size_t{1});
    QCOMPARE(said[0].text, std::string("run is not recorded: a.db: was deleted"));
  }

  void aRunStoreThatFailsIsSaidAndTheRunContinues() {
    Record record;
    record.runs.refuses = true;
    record.begin("run-1");
    QVERIFY(record.recorder.in_run());
    auto said = record.parts.sink.all<events::Message>();
    QCOMPARE(said.size(), std::size_t{1});
    QCOMPARE(said[0].level, std::string("error"));
    QCOMPARE(said[0].text, std::string("run is not recorded: the database is locked"));
    QCOMPARE(record.parts.sink.count<events::RunStarted>(), std::size_t{1});
    record.recorder.finish("finished");
    QVERIFY(!record.recorder.in_run());
    QCOMPARE(record.parts.sink.count<events::RunFinished>(), std::size_t{1});
    said = record.parts.sink.all<events::Message>();
    QCOMPARE(said.size(), std::size_t{2});
    QCOMPARE(said[1].text, std::string("the run's record is incomplete: the database is locked"));
    QCOMPARE(record.journaled<events::Message>().size(), std::size_t{0});  // neither is of the run
  }

  void withoutARunStoreTheRunIsToldAllTheSame() {
    Record record(false);
    record.begin("run-1");
    record.recorder.finish("finished");
    QCOMPARE(record.parts.sink.count<events::RunFinished>(), std::size_t{1});
    QVERIFY(record.runs.appended.empty());
  }

  // Of what tiers count, a run's is what was counted since it began; what the thread did is what parts added.
  void aRunEndsWithWhatItCounted() {
    Record record;
    store_context(record.parts, 0, {.tier = 0});
    record.recorder.counters().note_serving(9);  // of a run before
    record.recorder.counters().reset();
    record.begin("run-1");
    store_context(record.parts, 1, {.tier = 0});
    RunCounters& counters = record.recorder.counters();
    counters.note_serving(1);
    counters.note_prefill_step(0.5);
    counters.note_prefill_step(0.25);
    counters.note_profiling(2, false);
    counters.note_profiling(4, true);
    counters.note_profile_step(0.125);
    counters.placing_seconds() += 8;
    counters.note_running(3);
    counters.note_running(2);
    counters.note_requeued();
    counters.note_drift();
    counters.note_reprofile();
    record.recorder.publish_counted();
    record.recorder.finish("finished");
    const auto counted = record.journaled<events::EngineCounted>();
    QCOMPARE(counted.size(), std::size_t{2});
    QCOMPARE(counted[1].serving_seconds, 1.75);
    QCOMPARE(counted[1].longest_prefill_step_seconds, 0.5);
    QCOMPARE(counted[1].profiling_seconds, 2.0);
    QCOMPARE(counted[1].reprofiling_seconds, 4.0);
    QCOMPARE(counted[1].longest_profile_step_seconds, 0.125);
    QCOMPARE(counted[1].busy_seconds, 15.75);
    QCOMPARE(counted[1].max_running, 3);
    QVERIFY(counted[1].requeued == 1 && counted[1].drifts == 1 && counted[1].reprofiles == 1);
    QVERIFY(!counted[1].model_device);  // the processor computes
    const auto tiers = record.journaled<events::TierCounted>();
    QCOMPARE(tiers.size(), std::size_t{1});
    QCOMPARE(tiers[0].tier, std::string("dram"));
    QCOMPARE(tiers[0].writes, std::uint64_t{1});
    QCOMPARE(tiers[0].written_bytes, record.parts.catalog->state(1).stored_bytes);
  }

  void anIdSaysWhenTheRunBegan() {
    const std::string first = new_run_id(0), later = new_run_id(86'400'000'000'000);
    QVERIFY2(first.starts_with("19700101T000000Z-"), first.c_str());
    QVERIFY2(later.starts_with("19700102T000000Z-"), later.c_str());
    QCOMPARE(first.size(), std::size_t{25});
    QVERIFY(first < later && first.substr(17) != new_run_id(1).substr(17));
    QCOMPARE(new_run_id(0), first);
  }
};

KV_TEST_GUILESS_MAIN(RunRecorderTest)

}  // namespace run_recorder_test

#include "run_recorder_test.moc"
