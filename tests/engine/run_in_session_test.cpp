// links: core_engine tiers
// The begin and the end of a run over all parts, without requests: what is recorded, what is forgotten, and what
// outlives it.
#include "core/engine/run_lifecycle.h"

#include <QtTest>

#include "tests/support/session_parts.h"
#include "tests/support/test_program.h"

namespace run_in_session_test {

using namespace kvantage;
using namespace kvantage::test;

struct Runs : WholeParts {
  RunLifecycle lifecycle(RunLifecycle::Options options = {}) {
    options.seed = 7;
    options.workload = "small";
    options.workload_digest = config.workload.digest();
    return {world.services(), parts.of_a_run(), board, spans, options};
  }
  ProfileScope scope{.model = {}, .workload = config.workload.digest(), .quality_metric = "token_f1"};
};

class RunInSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aRunIsRecordedWithWhatItRestsOn() {
    Runs run;
    RunLifecycle lifecycle = run.lifecycle({.frozen = true, .facts = {{"group", "of the test"}}});
    std::string shown_before = "not asked";
    run.runs.on_begin = [&] { shown_before = run.board.info().run_id; };
    lifecycle.begin(run_settings_of(run.settings));
    QCOMPARE(run.runs.begun.size(), std::size_t{1});
    const auto& record = run.runs.begun[0];
    QCOMPARE(shown_before, std::string());  // whoever sees the id finds the run
    QCOMPARE(run.board.info().run_id, record.id);
    QCOMPARE(record.settings["settings"], to_json(run.settings));
    QCOMPARE(record.settings["group"], Json("of the test"));
    QCOMPARE(record.settings["frozen"], Json(true));
    QVERIFY(!record.settings.contains("endless"));
    const Json& environment = record.settings["environment"];
    QCOMPARE(environment["seed"], Json(7));
    QCOMPARE(environment["workload"], Json("small"));
    QCOMPARE(environment["workload_digest"], Json(run.config.workload.digest().hex()));
    QCOMPARE(environment["model_digest"], Json(run.world.runtime->digest().hex()));
    QVERIFY(run.parts.recorder.in_run() && !run.parts.arrivals.exhausted());
    lifecycle.finish("stopped", run.scope);
    QCOMPARE(run.runs.begun[0].outcome, std::string("stopped"));
    QVERIFY(!run.parts.recorder.in_run());
    QVERIFY(std::holds_alternative<events::RunStarted>(run.runs.appended.front().payload));
    QVERIFY(std::holds_alternative<events::RunFinished>(run.runs.appended.back().payload));
  }

  void aColdStartEmptiesTheTiersAndForgetsWhatWasAskedFor_data() {
    QTest::addColumn<bool>("cold");
    QTest::newRow("cold") << true;
    QTest::newRow("warm") << false;
  }
  void aColdStartEmptiesTheTiersAndForgetsWhatWasAskedFor() {
    QFETCH(bool, cold);
    Runs run;
    store_context(run.world, 0, {.tier = 0});
    run.world.catalog->state(0).frequency = 4;
    run.settings.tiers[0].faults = "seed 1: 100 % of reads fail";
    run.lifecycle({.cold_start = cold}).begin(run_settings_of(run.settings));
    QCOMPARE(run.state(0).placement.stored(), !cold);
    QCOMPARE(run.entries(), std::size_t{cold ? 0U : 1U});
    QCOMPARE(run.state(0).frequency, cold ? 0.0 : 4.0);
    QVERIFY(run.state(0).archived);
    // None while tiers are emptied, then from the seed on.
    const std::string after = cold ? " at 0 entries" : " at 1 entries";
    QCOMPARE(run.injected, (std::vector<std::string>{" at 1 entries", run.settings.tiers[0].faults + after}));
  }

  // What was archived by runs before decides what can be placed at once.
  void aFrozenColdStartGoesWithoutTheArchive() {
    Runs run;
    store_context(run.world, 0, {.tier = 0});
    run.lifecycle({.cold_start = true, .frozen = true}).begin(run_settings_of(run.settings));
    QVERIFY(!run.state(0).archived);
  }

  void whatWasAskedForOutlivesTheRun() {
    Runs run;
    store_context(run.world, 0, {.tier = 0});  // an empty store starts from zero
    RunLifecycle lifecycle = run.lifecycle();
    lifecycle.begin(run_settings_of(run.settings));
    run.world.catalog->state(1).frequency = 3;
    lifecycle.finish("finished", run.scope);
    run.world.catalog->state(1).frequency = 0;
    QVERIFY(run.parts.popularity.load());
    QCOMPARE(run.state(1).frequency, 3.0);
    QCOMPARE(run.messages(), std::vector<std::string>{});
  }

  void theCalibrationIsKeptWithTheRun() {
    struct Fixed final : RunCalibration {
      void before_run() override {}
      std::vector<double> after_run() override { return {0.003, 0.004}; }
    };
    Runs run;
    RunLifecycle lifecycle = run.lifecycle({.calibration = std::make_shared<Fixed>()});
    lifecycle.begin(run_settings_of(run.settings));
    lifecycle.finish("stopped", run.scope);
    const auto kept = read_calibration(run.runs, run.runs.begun[0].id);
    QVERIFY(kept.has_value());
    QCOMPARE(*kept, (std::vector<double>{0.003, 0.004}));
    QCOMPARE(run.messages(), std::vector<std::string>{});
  }

  void whatCannotBeSavedIsAWarningAndTheRunEnds() {
    Runs run;
    RunLifecycle lifecycle = run.lifecycle();
    lifecycle.begin(run_settings_of(run.settings));
    run.world.catalog->state(1).frequency = 3;
    run.profiles.broken = {"save_value"};
    lifecycle.finish("finished", run.scope);
    const auto messages = run.messages();
    QVERIFY(!messages.empty());
    QVERIFY2(messages.back().ends_with("save_value: the database is locked"), messages.back().c_str());
    QCOMPARE(run.runs.begun[0].outcome, std::string("finished"));
  }
};

KV_TEST_GUILESS_MAIN(RunInSessionTest)

}  // namespace run_in_session_test

#include "run_in_session_test.moc"
