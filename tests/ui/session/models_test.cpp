// links: kv_ui_models
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "core/base/random.h"
#include "core/base/statistics.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/frontier/model/frontier_planner.h"
#include "ui/session/run_model.h"
#include "ui/session/settings_controller.h"
#include "ui/text/words.h"

namespace models_test {

using namespace kvantage;

namespace {

RequestRecord record_of(std::uint64_t id, const std::string& source, double ttft, double quality) {
  RequestRecord record;
  record.id = id;
  record.context = {id % 3, 1};
  record.context_id = "c" + std::to_string(id % 3);
  record.family = id % 2 ? "odd" : "even";
  record.policy = "evicpress";
  record.alpha = 1;
  record.source = source;
  record.context_tokens = 100;
  record.kept_tokens = 100;
  record.timing.ttft_service_seconds = ttft;
  record.quality = {{"token_f1", quality}};
  return record;
}

ContextState context_of(std::uint64_t key, const std::string& family, double base, double at_half) {
  ContextState context;
  context.key = {key, 0};
  context.id = family + std::to_string(key);
  context.family = family;
  context.tokens = 100;
  context.full_bytes = 1000;
  auto profile = std::make_shared<ContextProfile>();
  profile->points = {{"none", 0, base, base, base, 4, 1000, 100},
                     {"snapkv", 0.5, at_half, at_half, at_half, 4, 500, 50}};
  context.profile = profile;
  return context;
}

/// What a planner answers from its threads, on the test's.
struct Answers {
  explicit Answers(const FrontierPlanner& planner) {
    QObject::connect(
        &planner, &FrontierPlanner::finished, &receiver_,
        [this](const FrontierPrediction& answer) { all.push_back(answer); }, Qt::QueuedConnection);
  }
  std::vector<FrontierPrediction> all;

 private:
  QObject receiver_;
};

}  // namespace

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

  void dropIsRelativeToTheUncompressedQuality() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts = {context_of(1, "a", 0.8, 0.4), context_of(2, "a", 0.5, 0.5), context_of(3, "b", 0.0, 0.0),
                          context_of(4, "b", 1.0, 0.25)};
    snapshot->contexts[0].placement = {0, "snapkv", 0.5};
    SensitivityModel model;
    model.set_snapshot(snapshot);
    model.set_selection("snapkv", 0.5);
    QCOMPARE(model.profiled(), 4);
    QCOMPARE(model.without_base_quality(), 1);  // a quality of zero has no drop and is not drawn as none
    QVERIFY(!model.behind());
    // A candidate that was added just now, of which nothing is drawn yet.
    int changes = 0;
    const auto counted = QObject::connect(&model, &SensitivityModel::changed, &model, [&changes] { ++changes; });
    model.set_candidates({"snapkv"});
    QCOMPARE(changes, 0);
    model.set_candidates({"snapkv", "own"});
    QCOMPARE(changes, 1);
    QCOMPARE(model.behind(), std::optional(SensitivityModel::Behind{"own", 0}));
    // It stands until the last context has it.
    auto measured = std::make_shared<Snapshot>(*snapshot);
    const auto measure = [&](std::size_t context) {
      auto profile = std::make_shared<ContextProfile>(*measured->contexts[context].profile);
      profile->points.push_back({.method = "own", .removed_fraction = 0.5, .quality = 0.5});
      measured->contexts[context].profile = profile;
    };
    for (std::size_t context = 0; context < 3; ++context) measure(context);
    model.set_snapshot(std::make_shared<Snapshot>(*measured));
    QCOMPARE(model.behind(), std::optional(SensitivityModel::Behind{"own", 3}));
    measure(3);
    model.set_snapshot(std::make_shared<Snapshot>(*measured));
    QVERIFY(!model.behind());
    model.set_snapshot(snapshot);
    QCOMPARE(model.behind(), std::optional(SensitivityModel::Behind{"own", 0}));
    model.set_candidates({"snapkv"});
    QVERIFY(!model.behind());
    QObject::disconnect(counted);
    const auto families = model.distributions();
    QCOMPARE(families.size(), 2u);
    QCOMPARE(families[0].median, 0.25);  // drops 0.5 and 0
    QCOMPARE(families[1].contexts, 1);
    QCOMPARE(families[1].median, 0.75);
    const auto rows = model.heat_rows();
    QCOMPARE(rows.front().context, QString("b4"));
    QVERIFY(!rows.back().at_selected);
    model.set_context("a1");
    bool marked = false;
    for (const auto& curve : model.curves())
      for (const auto& point : curve.points)
        marked = marked || (point.chosen && point.removed_fraction == 0.5 && point.kept_bytes == 500);
    QVERIFY(marked);
  }

  // The heat map outlines placements: it begins with the method of most of them, and a user's choice stays.
  void sensitivityBeginsWithTheMethodOfThePlan() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts = {context_of(1, "a", 0.8, 0.4), context_of(2, "a", 0.5, 0.5), context_of(3, "a", 0.5, 0.5)};
    for (ContextState& context : snapshot->contexts) {
      auto profile = std::make_shared<ContextProfile>(*context.profile);
      for (const ProfilePoint& point : context.profile->points)
        if (point.removed_fraction > 0) {
          profile->points.push_back(point);
          profile->points.back().method = "knorm";
        }
      context.profile = profile;
    }
    SensitivityModel model;
    model.set_snapshot(snapshot);
    const QString first = model.method(), other = first == "knorm" ? "snapkv" : "knorm";
    auto planned = std::make_shared<Snapshot>(*snapshot);
    planned->contexts[0].placement = planned->contexts[1].placement = {0, other.toStdString(), 0.5};
    model.set_snapshot(planned);
    QCOMPARE(model.method(), other);
    model.set_selection(first, 0.5);
    model.set_snapshot(std::make_shared<Snapshot>(*planned));
    QCOMPARE(model.method(), first);
  }

  void aCurveIsSeenAgainstUncompressedReuseAndChance() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->contexts = {context_of(1, "a", 0.8, 0.4), context_of(2, "a", 0.5, 0.5)};
    auto profile = std::make_shared<ContextProfile>(*snapshot->contexts[0].profile);
    profile->chance = {0.05, 0.02, 0.09, 12};
    snapshot->contexts[0].profile = profile;
    SensitivityModel model;
    model.set_snapshot(snapshot);
    model.set_context("a1");
    QCOMPARE(model.baselines().uncompressed->mean, 0.8);
    QCOMPARE(model.baselines().uncompressed->n, 4);
    QCOMPARE(model.baselines().chance->mean, 0.05);
    QCOMPARE(model.baselines().chance->high, 0.09);
    model.set_context("a2");
    QVERIFY(model.baselines().uncompressed && !model.baselines().chance);  // not known is not nothing
    QVERIFY(!SensitivityModel().baselines().uncompressed);
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

  void aRequestThatBeganBeforeAChangeCountsForTheOldPoint() {
    FrontierModel frontier;
    SessionSettings settings;
    settings.alpha = 1;
    frontier.set_committed(settings);
    frontier.add_request(record_of(1, "dram", 0.1, 1));
    settings.alpha = 2;
    frontier.set_committed(settings);
    frontier.add_request(record_of(2, "dram", 0.3, 0));  // alpha 1 in its record
    RequestRecord now = record_of(3, "dram", 0.2, 0.5);
    now.alpha = 2;
    frontier.add_request(now);
    const auto points = frontier.measured();
    QCOMPARE(points.size(), 2u);
    QCOMPARE(points[0].quality.n, 2u);
    QCOMPARE(points[0].ttft.mean, 0.2);
    QCOMPARE(points[1].quality.n, 1u);
    QCOMPARE(points[1].quality.mean, 0.5);
  }

  // Start begins another run: its requests make a point of their own beside those of before.
  void anotherRunKeepsEarlierPoints() {
    FrontierModel frontier;
    frontier.begin_run();
    QVERIFY(frontier.measured().empty());
    frontier.set_committed({});
    frontier.begin_run();  // nothing was served: no second point
    frontier.add_request(record_of(1, "dram", 0.1, 1));
    frontier.begin_run();
    QCOMPARE(frontier.measured().size(), 1u);
    QVERIFY(!frontier.measured()[0].current);
    frontier.add_request(record_of(1, "dram", 0.3, 0.5));
    const auto points = frontier.measured();
    QCOMPARE(points.size(), 2u);
    QCOMPARE(points[0].ttft.mean, 0.1);
    QCOMPARE(points[1].ttft.mean, 0.3);
    QVERIFY(points[1].current);
    for (std::size_t run = 0; run < 2 * FrontierModel::max_points; ++run) {
      frontier.begin_run();
      frontier.add_request(record_of(1, "dram", 0.01 * static_cast<double>(run + 1), 1));
    }
    QCOMPARE(frontier.measured().size(), FrontierModel::max_points);
    QCOMPARE(frontier.measured().back().ttft.mean, 0.01 * static_cast<double>(2 * FrontierModel::max_points));
  }

  void anArrivalRateStartsNoNewPoint() {
    FrontierModel frontier;
    SessionSettings settings;
    frontier.set_committed(settings);
    frontier.add_request(record_of(1, "dram", 0.1, 1));
    settings.requests_per_second = 4;
    frontier.set_committed(settings);
    frontier.add_request(record_of(2, "dram", 0.1, 1));
    QCOMPARE(frontier.measured().size(), 1u);
  }

  void theMarkerLiesBetweenTheSamplesOfItsAlpha() {
    FrontierModel frontier;
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{0.1, {0.5, 0.01}}, {10, {0.9, 1.0}}}}};
    frontier.set_prediction(prediction);
    frontier.set_present("evicpress", 1);  // half way in the logarithm
    QVERIFY(frontier.present());
    QVERIFY(std::abs(frontier.present()->quality - 0.7) < 1e-12);
    QVERIFY(std::abs(frontier.present()->ttft_seconds - 0.1) < 1e-12);
    frontier.set_present("evicpress", 1000);
    QCOMPARE(frontier.present()->quality, 0.9);
    frontier.set_present("lru", 1);
    QVERIFY(!frontier.present());
    prediction.family = "news";  // an answer about a family that is no longer shown
    prediction.curves.clear();
    frontier.set_prediction(prediction);
    QCOMPARE(frontier.curves().size(), 1u);
  }

  void thePlannerAnswersTheLatestRequestAndEndsAtOnce() {
    ScriptedSession session(400);
    session.set_state(RunState::ready);
    test::OwnTimer timer;
    {
      FrontierPlanner planner;
      const Answers answers(planner);
      PlannerRequest request;
      request.snapshot = session.snapshot();
      request.settings = request.committed = session.settings();
      request.policies = {"evicpress", "lru"};
      request.alphas = AlphaScale{0.01, 1, 100}.grid(32);
      std::uint64_t last = 0;
      for (int i = 0; i < 40; ++i) last = planner.request(request);
      // Curves and simulated points come from two threads, each in its own time.
      const auto latest = [&](bool simulated) {
        FrontierPrediction found;
        for (const FrontierPrediction& made : answers.all)
          if (made.job == last && made.simulated_known == simulated &&
              (simulated || (!made.coarse && !made.curves.empty())))
            found = made;
        return found;
      };
      QTRY_VERIFY(latest(false).job == last && latest(true).job == last);
      QVERIFY(answers.all.size() < 40);
      FrontierPrediction answer = latest(true);
      QVERIFY(answer.curves.empty());
      answer.curves = latest(false).curves;
      QCOMPARE(answer.curves.size(), 1u);
      QCOMPARE(answer.curves[0].samples.size(), 32u);
      QCOMPARE(answer.simulated.size(), 1u);
      // The same numbers as asking core directly.
      const auto policy = make_policy("evicpress");
      const auto expected = predict_frontier(*request.snapshot, **policy, request.alphas);
      for (std::size_t i = 0; i < expected.size(); ++i)
        QCOMPARE(answer.curves[0].samples[i].mean.quality, expected[i].mean_quality);
      // What the plan in force leaves: no plan is above the bound.
      QVERIFY(answer.gap && answer.gap->alpha == request.settings.alpha);
      QVERIFY2(answer.gap->share >= -1e-9 && answer.gap->share < 0.5, qPrintable(QString::number(answer.gap->share)));
      FrontierModel model;
      model.set_prediction(answer);
      model.set_present("evicpress", request.settings.alpha);
      QCOMPARE(model.present_gap().value_or(-1), answer.gap->share);
      model.set_present("evicpress", 2 * request.settings.alpha);
      QVERIFY(!model.present_gap());  // of another plan
      planner.request(request);
      timer.start();
    }
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
  }

  // Its simulated point comes ahead of all others, and is the one that comes with them.
  void aPolicyThatDoesNotUseAlphaGoesAheadToo() {
    ScriptedSession session(200);
    session.set_state(RunState::ready);
    FrontierPlanner planner;
    const Answers answers(planner);
    PlannerRequest request;
    request.snapshot = session.snapshot();
    request.settings = request.committed = session.settings();
    request.settings.policy = "lru";
    request.policies = {"evicpress", "full_prefill", "lru"};
    request.alphas = AlphaScale{0.01, 1, 100}.grid(32);
    planner.request(request);
    std::optional<SimulatedPoint> ahead, whole;
    const auto look = [&] {
      for (const FrontierPrediction& answer : answers.all) {
        if (answer.ahead_point && !whole) ahead = answer.ahead_point;
        for (const SimulatedPoint& point : answer.simulated)
          if (point.policy == "lru" && !point.what_if) whole = point;
      }
      return whole.has_value();
    };
    QTRY_VERIFY(look());
    QVERIFY(ahead.has_value());
    QCOMPARE(ahead->policy, QString("lru"));
    QCOMPARE(ahead->mean.quality, whole->mean.quality);
    QCOMPARE(ahead->mean.ttft_seconds, whole->mean.ttft_seconds);

    FrontierModel model;
    model.set_present("lru", 1);
    QVERIFY(!model.present());
    FrontierPrediction old;
    old.simulated = {{"lru", {0.1, 9}, 300, false}, {"lru", {0.2, 8}, 30, true}};
    old.simulated_known = true;
    model.set_prediction(old);
    FrontierPrediction first;
    first.ahead_point = ahead;
    model.set_prediction(first);
    QCOMPARE(model.simulated().size(), 2u);
    QVERIFY(model.present() && model.present()->quality == ahead->mean.quality);
    QCOMPARE(model.simulated()[1].mean.quality, 0.2);  // the what-if point stays until it is played on
  }

  void previewedBudgetsAndCandidatesReachTheCopyOnly() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    const auto snapshot = session.snapshot();
    SessionSettings settings = session.settings();
    settings.tiers[0].budget = 123;
    settings.tiers[1].throttle.bytes_per_second = 5e6;
    settings.methods = {"none", "snapkv"};
    const Snapshot changed = snapshot_under(*snapshot, settings, session.settings());
    QCOMPARE(changed.tiers[0].budget_bytes, 123u);
    QCOMPARE(changed.tiers[1].model.bytes_per_second, 5e6);
    QCOMPARE(changed.candidates.methods.size(), 2u);
    QVERIFY(snapshot->tiers[0].budget_bytes != 123u);
    QCOMPARE(snapshot->tiers[0].model.bytes_per_second, changed.tiers[0].model.bytes_per_second);
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
