// links: app_wiring
// A recorded run gone through again is the run: its last moment is the engine's own state, and every moment between is
// the same from both sides. In virtual time.
#include <QtTest>

#include "core/base/json_fields.h"
#include "core/ports/recorded_snapshot.h"
#include "core/report/replay_source.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace replay_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// All of a snapshot that is not of the moment, as text.
std::string text_of_state(const Snapshot& snapshot) {
  return to_json(Event{.payload = recorded_snapshot(snapshot, "")}).dump();
}

}  // namespace

class ReplayTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<EngineHarness> harness_;

  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }

  Expected<std::unique_ptr<ReplaySource>> last_run() {
    RunStore& runs = harness_->session.stores->runs();
    KV_TRY(runs.flush());
    return ReplaySource::load(runs, runs.runs().value().back().run_id);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    auto opened =
        open_virtual(folder_.path().toStdString(), small_workload(6, 40, 11), {"dram=1MiB", "ssd=2MiB"}, "lru", true);
    QVERIFY2(opened.has_value(), message(opened));
    harness_ = std::move(*opened);
    harness_->engine().profile_all();
    QCOMPARE(harness_->wait(), RunState::ready);
  }
  void cleanupTestCase() { harness_.reset(); }

  void itsEndIsTheEnginesState_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"full_prefill", "lru", "fixed(keydiff,0.5)", "evicpress"})
      QTest::newRow(policy) << QString(policy);
  }
  void itsEndIsTheEnginesState() {
    QFETCH(QString, policy);
    const auto records = harness_->serve(policy.toStdString(), 24);
    QVERIFY2(records, message(records));
    const auto source = last_run();
    QVERIFY2(source, message(source));
    ReplaySource& replay = **source;
    const auto live = harness_->engine().snapshot();
    replay.seek(replay.size());
    QCOMPARE(text_of_state(*replay.snapshot()), text_of_state(*live));
    QCOMPARE(replay.now().requests_finished, std::uint64_t{24});
    QCOMPARE(replay.now().outcome, std::string("finished"));
    QVERIFY(replay.settings() == harness_->engine().settings());
    const auto replayed = replay.records_until(replay.size());
    QCOMPARE(replayed.size(), records->size());
    for (std::size_t i = 0; i < records->size(); ++i) QCOMPARE(to_json(*replayed[i]), to_json((*records)[i]));
  }

  // Settings of decoding that change during a run change at the same moment of the replay.
  void decodingSettingsMoveWithTheRun_data() {
    QTest::addColumn<QString>("eviction");
    QTest::addColumn<QString>("offload");
    QTest::newRow("eviction") << "paged_eviction(page=16,budget=25%,compact_ms=2,cut=prefill)"
                              << "none";
    QTest::newRow("offload") << "none"
                             << "%1(split=load_only,codec=fp8,weights=kv_first,batch=column)";
  }
  void decodingSettingsMoveWithTheRun() {
    QFETCH(QString, eviction);
    QFETCH(QString, offload);
    Engine& engine = harness_->engine();
    SessionSettings settings = engine.settings();
    const SessionSettings first = settings;
    settings.policy = "lru";
    settings.request_limit = 6;
    QVERIFY(engine.apply(settings).has_value());
    engine.step();
    QCOMPARE(harness_->wait(), RunState::paused);
    const SessionSettings before = engine.settings();
    settings.decode_eviction = eviction.toStdString();
    settings.decode_offload = offload.replace("%1", QString::fromStdString(settings.tiers.front().name)).toStdString();
    settings.decode_options = {"knorm(budget=25%,compaction=hole_fill)"};
    settings.compute_or_load = "off";
    QVERIFY(engine.apply(settings).has_value());
    engine.start();
    QCOMPARE(harness_->wait(), RunState::finished);
    const auto source = last_run();
    QVERIFY2(source, message(source));
    ReplaySource& replay = **source;
    std::size_t change = 0;
    while (change < replay.size() && !std::holds_alternative<events::SettingChanged>(replay.event(change).payload))
      ++change;
    QVERIFY(change < replay.size());
    replay.seek(change);
    QVERIFY(replay.settings() == before);
    replay.seek(replay.size());
    QVERIFY(replay.settings() == engine.settings());
    QCOMPARE(replay.settings().decode_eviction, settings.decode_eviction);
    QCOMPARE(replay.settings().decode_offload, settings.decode_offload);
    const auto records = replay.records_until(replay.size());
    QCOMPARE(records.size(), std::size_t{6});
    const DecodingRecord &begun = records.front()->decoding, &ended = records.back()->decoding;
    QVERIFY(begun.eviction.empty() && !begun.offload);
    QCOMPARE(ended.eviction.empty() ? "none" : ended.eviction, settings.decode_eviction);
    QCOMPARE(ended.offload ? ended.offload->setting : "none", settings.decode_offload);
    QVERIFY(engine.apply(first).has_value());
  }

  void everyMomentIsTheSameFromBothSides() {
    QVERIFY(harness_->serve("evicpress", 60));
    const auto source = last_run();
    QVERIFY2(source, message(source));
    ReplaySource& replay = **source;
    QVERIFY2(replay.size() > 300, qPrintable(QString::number(replay.size())));  // copies are kept, and used
    std::vector<std::string> forward;
    for (std::size_t moment = 0; moment <= replay.size(); moment += 37) {
      replay.seek(moment);
      forward.push_back(text_of_state(replay.now().snapshot));
    }
    QVERIFY(std::set(forward.begin(), forward.end()).size() > 10);  // something moves
    Random random(5);
    for (int i = 0; i < 60; ++i) {
      const std::size_t k = random.below(forward.size());
      const ReplayState& state = replay.seek(k * 37);
      QCOMPARE(state.events, k * 37);
      QCOMPARE(text_of_state(state.snapshot), forward[k]);
    }
  }

  // What the tiers said they held is what the placements add up to, where no write is in flight.
  void occupancyAndPlacementsAgreeAtTheEnd() {
    const auto source = last_run();
    QVERIFY2(source, message(source));
    const ReplayState& end = (*source)->seek((*source)->size());
    for (std::size_t t = 0; t < end.snapshot.tiers.size(); ++t) {
      std::uint64_t placed = 0;
      for (const ContextState& context : end.snapshot.contexts)
        if (context.placement.tier == static_cast<int>(t)) placed += context.stored_bytes;
      QCOMPARE(end.occupancy.at(end.snapshot.tiers[t].name).used_bytes, placed);
    }
  }

  void itPlaysLikeASession() {
    const auto source = last_run();
    QVERIFY2(source, message(source));
    ReplaySource& replay = **source;
    QCOMPARE(replay.state(), RunState::ready);
    QVERIFY(replay.drain(1000).empty());
    replay.step();
    QCOMPARE(replay.state(), RunState::paused);
    QCOMPARE(replay.now().requests_finished, std::uint64_t{1});
    QVERIFY(std::holds_alternative<events::RequestFinished>(replay.event(replay.now().events - 1).payload));
    QCOMPARE(replay.drain(1 << 20).size(), replay.now().events);
    replay.start();
    QCOMPARE(replay.state(), RunState::running);
    for (int i = 0; i < 20; ++i) replay.advance(replay.duration() / 40);
    QVERIFY(replay.now().seconds <= replay.duration() * 0.51 + 1);
    const std::size_t before = replay.now().events;
    replay.seek(10);
    QCOMPARE(replay.drain(1 << 20).size(), std::size_t{10});  // a view starts again after a step back
    replay.start();
    replay.advance(replay.duration() + 1);
    QCOMPARE(replay.state(), RunState::finished);
    QVERIFY(before < replay.size());
    QVERIFY(!replay.apply(SessionSettings{}));
    replay.stop();
    QCOMPARE(replay.state(), RunState::ready);
  }

  void timesFindTheirMoment() {
    const auto source = last_run();
    QVERIFY2(source, message(source));
    ReplaySource& replay = **source;
    QCOMPARE(replay.moment_at(-1), std::size_t{0});
    QCOMPARE(replay.moment_at(replay.duration()), replay.size());
    for (std::size_t i = 0; i < replay.size(); i += 11) {
      const std::size_t moment = replay.moment_at(replay.seconds_at(i));
      QVERIFY(moment > i && (moment == replay.size() || replay.seconds_at(moment) > replay.seconds_at(i)));
    }
  }

  void gapsAndNothingAreRefused() {
    const auto source = last_run();
    QVERIFY2(source, message(source));
    RecordedRun run = (*source)->recorded();
    run.events.erase(run.events.begin() + 5);
    const auto gap = ReplaySource::open(run);
    QVERIFY(!gap && gap.error().code == ErrorCode::rejected_input);
    run.events.clear();
    QVERIFY(!ReplaySource::open(run));
    QVERIFY(!ReplaySource::load(harness_->session.stores->runs(), "nowhere"));
  }
};

KV_TEST_GUILESS_MAIN(ReplayTest)

}  // namespace replay_test

#include "replay_test.moc"
