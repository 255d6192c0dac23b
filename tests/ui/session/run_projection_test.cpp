// links: kv_ui_models
// What of a window follows the events of a run: each model is kept, restored, exchanged and filled through its
// projection, so that a recorded run can be shown in place of the live one.
#include "ui/session/run_projections.h"

#include <QtTest>
#include <map>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/session/run_model.h"

namespace run_projection_test {

using namespace kvantage;

namespace {

/// How much each model holds; logs apart.
std::map<QString, std::uint64_t> amounts(const RunModel& run) {
  std::uint64_t samples = 0, contexts = 0, points = 0, annotations = 0;
  for (const TierSeriesModel::Tier& tier : run.tiers.tiers()) samples += tier.samples.size();
  for (const auto& [context, configurations] : run.contexts.history().measured) contexts += configurations.size();
  for (const MeasuredPoint& point : run.frontier.measured()) points += static_cast<std::uint64_t>(point.ttft.n);
  for (const TimeAnnotation& annotation : run.time_line.annotations())
    annotations += static_cast<std::uint64_t>(annotation.count);
  return {{"tiers", samples},
          {"time line", annotations},
          {"contexts", contexts},
          {"pool", run.pool.samples().size()},
          {"hit rates", run.hit_rates.requests()},
          {"references", run.references.content().requests},
          {"frontier", points}};
}

PoolReport pool_of(std::uint64_t live_blocks) {
  PoolReport made;
  made.capacity_blocks = 64;
  made.live_blocks = live_blocks;
  return made;
}

/// A request's first event and its last.
void add_request(std::vector<Event>& events, std::uint64_t id, bool cancelled) {
  RequestRecord record;
  record.id = id;
  record.context_id = "story-1";
  record.source = "dram";
  record.cancelled = cancelled;
  for (EventPayload payload : {EventPayload(events::RequestStarted{id, "story-1", "story", "Who?"}),
                               EventPayload(events::RequestFinished{record})}) {
    Event event;
    event.sequence = events.size() + 1;
    event.monotonic_ns = static_cast<std::int64_t>(events.size()) * 1'000'000;
    event.payload = std::move(payload);
    events.push_back(std::move(event));
  }
}

}  // namespace

class RunProjectionTest : public QObject {
  Q_OBJECT

  ScriptedSession session_;
  std::unique_ptr<RunModel> run_;

  void serve(int count) {
    session_.serve(count);
    session_.emit_event(events::PoolSampled{pool_of(static_cast<std::uint64_t>(count))});
    session_.emit_event(events::Message{"warning", "a read was slow"});
    while (session_.waiting_events() > 0) run_->tick(1000);
    run_->tick();
  }

 private slots:
  void init() {
    run_ = std::make_unique<RunModel>(session_);
    session_.set_state(RunState::running);
    run_->tick();
  }

  void whatIsKeptIsRestored() {
    const auto rows = run_projections(*run_);
    serve(20);
    const auto kept = amounts(*run_);
    for (const auto& [model, amount] : kept) QVERIFY2(amount > 0, qPrintable(model));
    std::vector<RunProjection::State> states;
    for (const auto& row : rows) states.push_back(row->save());
    serve(60);
    const auto later = amounts(*run_);
    QCOMPARE(later.at("hit rates"), kept.at("hit rates") + 60);
    QCOMPARE(later.at("frontier"), kept.at("frontier") + 60);
    QVERIFY(later.at("pool") == kept.at("pool") + 1 && later.at("tiers") >= kept.at("tiers"));
    QCOMPARE(later.at("time line"), kept.at("time line") + 1);

    for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->restore(states[i]);
    QCOMPARE(amounts(*run_), kept);
    // A state is the keyframe's: what is counted on top of it does not reach it.
    serve(5);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->restore(states[i]);
    QCOMPARE(amounts(*run_), kept);

    for (const auto& row : rows) row->restore(nullptr);
    for (const auto& [model, amount] : amounts(*run_)) QVERIFY2(amount == 0, qPrintable(model));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->restore(states[i]);
    QCOMPARE(amounts(*run_), kept);
  }

  void onlyLogsHaveNoKeyframes() {
    serve(3);
    int logs = 0;
    for (const auto& row : run_projections(*run_)) {
      QCOMPARE(row->save() == nullptr, row->logs());
      logs += row->logs();
    }
    QCOMPARE(logs, 2);
  }

  void whatIsStashedIsMovedAndComesBack() {
    const auto rows = run_projections(*run_);
    serve(20);
    const auto live = amounts(*run_);
    const int requests = run_->requests.rowCount(), lines = run_->log.rowCount();
    QVERIFY(requests >= 20 && lines > 0);
    std::vector<RunProjection::Stashed> stashed(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->swap(stashed[i]);
    for (const auto& [model, amount] : amounts(*run_)) QVERIFY2(amount == 0, qPrintable(model));
    QVERIFY(run_->requests.rowCount() == 0 && run_->log.rowCount() == 0);
    serve(4);  // of another run, in its place
    QCOMPARE(run_->requests.rowCount(), 4);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->swap(stashed[i]);
    QCOMPARE(amounts(*run_), live);
    QCOMPARE(run_->requests.rowCount(), requests);
    QCOMPARE(run_->log.rowCount(), lines);
  }

  // A hand that moves through time sees the newest rows; the numbers count all.
  void logsAreFilledWithTheNewestRows_data() {
    QTest::addColumn<bool>("whole");
    QTest::addColumn<int>("rows");
    QTest::newRow("while moving") << false << 300;
    QTest::newRow("at rest") << true << 400;
  }
  void logsAreFilledWithTheNewestRows() {
    QFETCH(bool, whole);
    QFETCH(int, rows);
    std::vector<Event> events;
    for (std::uint64_t id = 1; id <= 401; ++id) add_request(events, id, id == 50);
    const std::size_t count = 800;  // the last request has not begun
    std::size_t asked = count + 1;
    const RunPast past{events, count, whole, [&](std::size_t moment) {
                         asked = moment;
                         return moment / 2 - std::size_t{moment >= 100};  // one of them was cancelled
                       }};
    for (const auto& row : run_projections(*run_))
      if (row->logs()) row->fill(past);
    QCOMPARE(run_->requests.rowCount(), rows);
    QCOMPARE(run_->requests.row(rows - 1)->record.id, 400u);
    QCOMPARE(asked, count - 2 * static_cast<std::size_t>(rows));
    QCOMPARE(run_->requests.finished_count(), 399u);
    QCOMPARE(run_->log.rowCount(), rows);
    for (int row = 0; row < rows; ++row) QVERIFY(!run_->requests.row(row)->running);
  }

  void tiersBeginWithNothingInThem() {
    const auto rows = run_projections(*run_);
    for (const auto& row : rows) row->restore(nullptr);
    const std::vector<TierState> tiers = session_.snapshot()->tiers;
    for (const auto& row : rows) row->set_tiers(tiers, true);
    QCOMPARE(run_->tiers.tiers().size(), tiers.size());
    for (const TierSeriesModel::Tier& tier : run_->tiers.tiers()) {
      QCOMPARE(tier.samples.size(), std::size_t{1});
      QCOMPARE(tier.samples[0].used_bytes, std::uint64_t{0});
    }
    QCOMPARE(run_->hit_rates.sources(), (std::vector<QString>{"dram", "ssd", "prefill"}));
    for (const auto& row : rows) row->set_tiers(tiers, false);  // as every snapshot
    for (const TierSeriesModel::Tier& tier : run_->tiers.tiers()) QCOMPARE(tier.samples.size(), std::size_t{1});
  }
};

KV_TEST_GUILESS_MAIN(RunProjectionTest)

}  // namespace run_projection_test

#include "run_projection_test.moc"
