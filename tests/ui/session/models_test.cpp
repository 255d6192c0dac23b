// links: kv_ui_models
// Intervals, hit rates, tier series, settings and tables of a run; and the words for their numbers.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "core/base/random.h"
#include "core/base/statistics.h"
#include "tests/support/test_program.h"
#include "tests/ui/session/request_records.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"
#include "ui/text/words.h"

namespace models_test {

using namespace kvantage;
using test::record_of;

/// Has a snapshot while it loads, as an engine that is timing its model.
class EarlySession final : public ScriptedSession {
 public:
  std::shared_ptr<const Snapshot> snapshot() const override {
    return state() == RunState::loading ? early : ScriptedSession::snapshot();
  }
  std::shared_ptr<const Snapshot> early;
};

class ModelsTest : public QObject {
  Q_OBJECT

 private slots:
  // Two that hold the same say the same, however often one of them was looked at.
  void intervalsDoNotHangOnWhoLooked() {
    GrowingMean watched, left_alone;
    Random random(5);
    for (int n = 1; n <= 460; ++n) {
      const double value = random.uniform();
      const std::string group = std::string("c").append(std::to_string(random.below(9)));
      watched.add(value, group);
      left_alone.add(value, group);
      watched.measured();
      if (n % 57 != 0) continue;
      QCOMPARE(left_alone.measured().low, watched.measured().low);
      QCOMPARE(left_alone.measured().high, watched.measured().high);
      QVERIFY(watched.measured().low < watched.measured().mean && watched.measured().mean < watched.measured().high);
    }
  }

  void intervalsAreTheProjectsOwn() {
    GrowingMean mean;
    std::vector<double> values;
    std::vector<std::string> groups;
    Random random(3);
    for (int i = 0; i < 80; ++i) {
      values.push_back(random.uniform());
      groups.push_back("c" + std::to_string(i % 9));
      mean.add(values.back(), groups.back());
    }
    const auto expected = bootstrap_interval(values, groups);
    QVERIFY(expected && mean.measured().has_interval);
    QCOMPARE(mean.measured().low, expected->low);
    QCOMPARE(mean.measured().high, expected->high);
    QCOMPARE(mean.measured().mean, mean_of(values));
    GrowingMean one;
    one.add(0.4, "c1");
    QVERIFY(!one.measured().has_interval);
  }

  // The interval of a large sample is not drawn again for each value; what it is an interval of is always the whole.
  void aMeanAlwaysSaysHowManyItIsOf() {
    GrowingMean mean;
    double sum = 0;
    Random random(5);
    for (std::uint64_t i = 1; i <= 700; ++i) {
      const double value = random.uniform();
      sum += value;
      mean.add(value, "c" + std::to_string(i % 9));
      const MeasuredMean& measured = mean.measured();
      QCOMPARE(measured.n, i);
      QCOMPARE(measured.mean, sum / static_cast<double>(i));
      QVERIFY(measured.low <= measured.mean && measured.mean <= measured.high);
    }
  }

  void aPartialHitCountsItsTokensOnBothSides() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}, {"ssd", 1, {}, false}});
    RequestRecord partial = record_of(1, "dram", 0.1, 1);
    partial.prefix_hit_tokens = 60;
    partial.bytes_loaded = 600;
    rates.request_finished(partial, 1000);
    rates.request_finished(record_of(2, "prefill", 0.1, 1), 1000);
    QCOMPARE(rates.latest(0, HitRateModel::by_requests, 0), 0.5);
    QCOMPARE(rates.latest(0, HitRateModel::by_tokens, 0), 60.0 / 200);
    QCOMPARE(rates.latest(2, HitRateModel::by_tokens, 0), 140.0 / 200);
    QCOMPARE(rates.latest(0, HitRateModel::by_bytes, 0), 600.0 / 2000);
    QCOMPARE(rates.latest(2, HitRateModel::by_requests, 1), 1.0);
    QCOMPARE(rates.latest(1, HitRateModel::by_requests, 0), 0.0);
  }

  void aWindowForgetsAndTheStartDoesNot() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    for (std::uint64_t i = 0; i < 2000; ++i)
      rates.request_finished(record_of(i, i < 1000 ? "prefill" : "dram", 0.1, 1), 10);
    QCOMPARE(rates.latest(0, HitRateModel::by_requests, 100), 1.0);
    QCOMPARE(rates.latest(0, HitRateModel::by_requests, 0), 0.5);
    const auto series = rates.series(0, HitRateModel::by_requests, 100);
    QVERIFY(series.size() > 300 && series.size() <= 600);
    QCOMPARE(series.back().x(), 2000.0);
  }

  void aLongRunIsThinnedAndKeepsItsEnds() {
    TierSeriesModel tiers;
    tiers.set_tiers({{"dram", 100, {0, 1000, 0, 0}, false}});
    for (int i = 0; i < 50'000; ++i) tiers.tier_occupancy(i, {"dram", static_cast<std::uint64_t>(i), 100, {}});
    const auto& samples = tiers.tiers().front().samples;
    QVERIFY(samples.size() <= TierSeriesModel::sample_limit && samples.size() > TierSeriesModel::sample_limit / 3);
    QCOMPARE(samples.front().seconds, 0.0);
    QCOMPARE(samples.back().seconds, 49'999.0);
  }

  void achievedBandwidthIsBytesOverTheTimeOfTheDevice() {
    TierSeriesModel tiers;
    tiers.set_tiers({{"ssd", 100, {0.5, 1000, 0, 0}, true}});
    for (int i = 0; i < 3; ++i) {
      RequestRecord record = record_of(1, "ssd", 1, 1);
      record.bytes_loaded = 1000;
      record.timing.device_seconds = 2;
      record.timing.load_seconds = 0.1;  // most of it hidden behind compute
      tiers.request_finished(record);
    }
    QCOMPARE(tiers.find("ssd")->achieved_bytes_per_second, 500.0);
    QCOMPARE(tiers.find("ssd")->fitted_bytes_per_second, 1000 / 1.5);  // latency counted
  }

  // A snapshot of before costs are known has curves to show, and nothing else yet.
  void storedCurvesAreShownWhileTheSessionLoads() {
    EarlySession session;
    RunModel run(session);
    session.early = std::make_shared<const Snapshot>();
    run.tick();
    QCOMPARE(run.sensitivity.profiled(), 0);
    session.set_state(RunState::ready);
    session.early = session.snapshot();
    session.set_state(RunState::loading);
    QSignalSpy shown(&run, &RunModel::snapshotChanged);
    run.tick();
    QCOMPARE(run.state(), RunState::loading);
    QCOMPARE(run.sensitivity.profiled(), 24);
    QVERIFY(!run.sensitivity.curves().empty());
    QVERIFY(!run.snapshot() && shown.isEmpty());
    QCOMPARE(run.contexts.rowCount(), 0);
    session.set_state(RunState::ready);
    run.tick();
    QVERIFY(run.snapshot());
    QCOMPARE(shown.size(), 1);
    QCOMPARE(run.contexts.rowCount(), 24);
  }

  // Its curves may be known, its costs are not: a Frontier of these would be wrong.
  void aSessionThatFailedWhileLoadingHasNoSnapshot() {
    ScriptedSession session;
    session.set_state(RunState::loading);
    RunModel run(session);
    run.tick();
    QVERIFY(!run.snapshot());
    session.set_state(RunState::failed);
    QVERIFY(session.snapshot() != nullptr);
    run.tick();
    QCOMPARE(run.state(), RunState::failed);
    QVERIFY(!run.snapshot());
  }

  void commitsAreRateLimitedAndTheLastOneWins() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    SettingsController controller(session);
    SessionSettings settings = session.settings();
    for (int i = 1; i <= 30; ++i) {
      settings.alpha = i;
      QVERIFY(controller.commit(settings, "alpha", "alpha"));
    }
    QVERIFY(session.applied.size() <= 2);
    QTRY_COMPARE(session.settings().alpha, 30.0);
    QVERIFY(session.applied.size() <= 3);
    QCOMPARE(controller.undo_stack().count(), 1);  // quick steps of one control are one undo step
    controller.undo_stack().undo();
    QTRY_COMPARE(session.settings().alpha, 0.8);
  }

  void aRefusalOfTheEngineIsToldAndUndone() {
    ScriptedSession session;
    SettingsController controller(session);
    QSignalSpy rejected(&controller, &SettingsController::rejected);
    SessionSettings settings = session.settings();
    settings.alpha = -1;
    QVERIFY(!controller.commit(settings, "alpha", "alpha"));
    QCOMPARE(rejected.size(), 1);
    QVERIFY(rejected[0][0].toString().contains("alpha"));
    QCOMPARE(controller.committed().alpha, session.settings().alpha);
  }

  void tablesObeyTheRulesOfItemModels() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    RunModel run(session);
    QAbstractItemModelTester requests(&run.requests, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester contexts(&run.contexts, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester log(&run.log, QAbstractItemModelTester::FailureReportingMode::QtTest);
    session.start();
    session.serve(40);
    run.tick(1000);
    QCOMPARE(run.served(), 40u);
    QCOMPARE(run.requests.rowCount(), 40);
    QCOMPARE(run.contexts.rowCount(), 24);
  }

  void veryLongLogsForgetTheirBeginning() {
    RequestsModel requests;
    QSignalSpy removed(&requests, &QAbstractItemModel::rowsRemoved);
    for (std::uint64_t i = 1; i <= 21'500; ++i) requests.request_finished(record_of(i, "dram", 0.1, 1));
    QVERIFY(requests.rowCount() <= 20'000);
    QVERIFY(!requests.find(1));
    QVERIFY(requests.find(21'500));
    QCOMPARE(requests.finished_count(), 21'500u);
    requests.token_emitted({1, "late"});  // of a row that is gone: no harm
    for (const auto& signal : removed)
      QVERIFY(signal[2].toInt() - signal[1].toInt() < 100);  // nobody waits for a thousand
  }

  void wordsReadWell_data() {
    QTest::addColumn<QString>("said");
    QTest::addColumn<QString>("expected");
    QTest::newRow("unknown seconds") << seconds_text(-1) << "–";
    QTest::newRow("minutes") << seconds_text(131) << "2 min 11 s";
    QTest::newRow("percent") << percent_text(0.5) << "50 %";
    QTest::newRow("odd percent") << percent_text(0.125) << "12.5 %";
    QTest::newRow("alpha small") << number_text(0.0123) << "0.0123";
    QTest::newRow("alpha large") << number_text(123.4) << "123";
    QTest::newRow("uncompressed") << configuration_text("none", 0) << "uncompressed";
    QTest::newRow("compressed") << configuration_text("snapkv", 0.75) << "snapkv, 75 % removed";
  }
  void wordsReadWell() {
    QFETCH(QString, said);
    QFETCH(QString, expected);
    QCOMPARE(said, expected);
  }
};

KV_TEST_GUILESS_MAIN(ModelsTest)

}  // namespace models_test

#include "models_test.moc"
