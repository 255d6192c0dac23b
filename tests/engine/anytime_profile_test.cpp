// links: app_wiring
// Anytime profiling in a session: stopped, resumed and reopened nothing is lost, it ends where it is good enough, and
// it runs beside requests and beside a paused run. In virtual time, where each look at the clock takes 0.1 ms.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace anytime_profile_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Cells = std::map<std::tuple<std::string, std::string, double>, std::vector<double>>;  // scores

std::unique_ptr<EngineHarness> opened(const QTemporaryDir& folder, double good_enough) {
  HarnessOptions other;
  other.products = "batch_invariant";
  other.profile_grid = ProfileGridKind::racing;
  other.good_enough = good_enough;
  auto harness = open_virtual(folder.path().toStdString(), small_workload(4, 32, 3, 2), {"dram=64MiB"}, "evicpress",
                              false, std::move(other), ModelKind::ticking);
  if (!harness) qFatal("%s", harness.error().message.c_str());
  return std::move(*harness);
}

ProfilingGauge gauge_of(EngineHarness& harness) { return harness.engine().gauges().profiling.value(); }
ProfilingAll profiling_of(EngineHarness& harness) { return harness.engine().gauges().profiling_all; }

/// What the database has.
Cells stored_cells(EngineHarness& harness) {
  auto cells = harness.session.stores->profiles().load_profiles(harness.engine().profile_scope());
  if (!cells) qFatal("%s", cells.error().message.c_str());
  Cells stored;
  for (const ProfileCell& cell : *cells)
    stored[{cell.context_id, cell.point.method, cell.point.removed_fraction}] = cell.scores;
  return stored;
}

std::uint64_t answers_in(const Cells& cells) {
  std::uint64_t answers = 0;
  for (const auto& [cell, scores] : cells) answers += scores.size();
  return answers;
}

void profile(EngineHarness& harness) {
  harness.engine().profile_all();
  if (harness.wait() != RunState::ready) qFatal("profiling did not end");
}

}  // namespace

class AnytimeProfileTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void stoppedAndReopenedNothingIsLost() {
    constexpr std::uint64_t before_stop = 20;
    const QTemporaryDir folder;
    auto harness = opened(folder, 0.02);
    harness->engine().profile_all();
    QVERIFY(pass_until(*harness, [&] { return gauge_of(*harness).answers >= before_stop; }));
    QVERIFY(profiling_of(*harness) == ProfilingAll::alone);
    harness->engine().stop_profiling();
    QCOMPARE(harness->wait(), RunState::ready);
    QVERIFY(profiling_of(*harness) == ProfilingAll::no);
    const Cells kept = stored_cells(*harness);
    QVERIFY(answers_in(kept) >= before_stop && answers_in(kept) < gauge_of(*harness).full_answers);
    QCOMPARE(gauge_of(*harness).answers, answers_in(kept));

    harness.reset();
    harness = opened(folder, 0.02);
    QVERIFY(stored_cells(*harness) == kept);
    profile(*harness);
    const Cells all = stored_cells(*harness);
    const ProfilingGauge gauge = gauge_of(*harness);
    QVERIFY(gauge.has_coarse && gauge.is_good_enough);
    QCOMPARE(gauge.answers_left, std::uint64_t{0});
    QCOMPARE(gauge.answers, answers_in(all));
    QVERIFY(answers_in(all) > answers_in(kept));
    for (const auto& [cell, scores] : kept) {  // none is asked again
      const std::vector<double>& more = all.at(cell);
      QVERIFY(more.size() >= scores.size() && std::equal(scores.begin(), scores.end(), more.begin()));
    }
    for (const ContextState& context : harness->engine().snapshot()->contexts) {
      QVERIFY(context.profile != nullptr);
      QCOMPARE(context.profile->points.size(), std::size_t{5});  // measured or pooled
    }

    harness.reset();
    harness = opened(folder, 0.02);
    harness->sink.clear();
    profile(*harness);
    QVERIFY(stored_cells(*harness) == all);
    QVERIFY(harness->sink.all<events::ContextProfiled>().empty());
  }

  void itEndsWhereItIsGoodEnough() {
    const QTemporaryDir folder;
    const auto harness = opened(folder, 0.5);
    SessionSettings settings = harness->engine().settings();
    settings.alpha = 5e-4;  // quality counts about as much as TTFT, which is below a millisecond in all
    QVERIFY(harness->engine().apply(settings));
    profile(*harness);
    const ProfilingGauge lenient = gauge_of(*harness);
    QVERIFY(lenient.has_coarse && lenient.is_good_enough && lenient.may_rise <= 0.5);
    QVERIFY2(lenient.may_rise > 0 && lenient.answers < lenient.full_answers, "nothing is left to measure");
    settings.good_enough = 0;
    QVERIFY(harness->engine().apply(settings));
    profile(*harness);
    const ProfilingGauge strict = gauge_of(*harness);
    QVERIFY2(strict.answers > lenient.answers && strict.answers <= strict.full_answers,
             qPrintable(QStringLiteral("%1, then %2 of %3 answers, which could raise utility by %4, then by %5")
                            .arg(lenient.answers)
                            .arg(strict.answers)
                            .arg(strict.full_answers)
                            .arg(lenient.may_rise)
                            .arg(strict.may_rise)));
    QCOMPARE(strict.may_rise, 0.0);
    QCOMPARE(answers_in(stored_cells(*harness)), strict.answers);
  }

  // Requests come first, curves are measured between them, and plans see them.
  void besideRequests() {
    constexpr std::uint64_t requests = 24;
    const QTemporaryDir folder;
    const auto harness = opened(folder, 0.02);
    const auto records = harness->serve("evicpress", requests);
    QVERIFY2(records, records ? "" : records.error().message.c_str());
    QCOMPARE(records->size(), std::size_t{requests});
    QVERIFY(gauge_of(*harness).answers > 0);
    QCOMPARE(answers_in(stored_cells(*harness)), gauge_of(*harness).answers);
    QVERIFY(!harness->sink.all<events::ContextProfiled>().empty());
    const auto plans = harness->sink.all<events::PlanMade>();
    QVERIFY2(plans.size() > 1, "the policy heard of no curve");
  }

  // A paused run stays paused, its profiling can be stopped alone, and it resumes.
  void besideAPausedRun() {
    constexpr std::uint64_t requests = 12;
    const QTemporaryDir folder;
    const auto harness = opened(folder, 0);
    Engine& engine = harness->engine();
    SessionSettings settings = engine.settings();
    settings.request_limit = requests;
    QVERIFY(engine.apply(settings));
    engine.start();
    QVERIFY(pass_until(*harness, [&] { return harness->sink.records().size() >= 3; }));
    engine.pause();
    QCOMPARE(harness->wait(), RunState::paused);
    pass(*harness, 2);  // requests in flight end
    const std::size_t served = harness->sink.records().size();
    const std::uint64_t before = gauge_of(*harness).answers;
    engine.profile_all();
    QVERIFY(pass_until(*harness, [&] { return gauge_of(*harness).answers > before + 4; }));
    QVERIFY(profiling_of(*harness) == ProfilingAll::beside_a_run);
    QCOMPARE(engine.state(), RunState::paused);
    engine.stop_profiling();
    QVERIFY(pass_until(*harness, [&] { return profiling_of(*harness) == ProfilingAll::no; }));
    QCOMPARE(engine.state(), RunState::paused);
    const std::uint64_t stopped = gauge_of(*harness).answers;
    pass(*harness, 2);
    QCOMPARE(gauge_of(*harness).answers, stopped);
    QCOMPARE(harness->sink.records().size(), served);
    engine.profile_all();  // and to its end
    QVERIFY(pass_until(*harness, [&] { return gauge_of(*harness).answers > stopped; }));
    QVERIFY(pass_until(
        *harness, [&] { return profiling_of(*harness) == ProfilingAll::no; }, 600));
    QVERIFY(gauge_of(*harness).is_good_enough);
    QCOMPARE(engine.state(), RunState::paused);
    engine.start();
    QCOMPARE(harness->wait(), RunState::finished);
    QCOMPARE(harness->sink.records().size(), std::size_t{requests});
  }
};

KV_TEST_GUILESS_MAIN(AnytimeProfileTest)

}  // namespace anytime_profile_test

#include "anytime_profile_test.moc"
