// links: kv_ui_models
// Points that were measured and the marker on a curve; what the planner answers, and when.
#include <QTest>
#include <cmath>
#include <optional>

#include "tests/support/test_program.h"
#include "tests/ui/session/request_records.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/frontier/model/frontier_model.h"
#include "ui/live/frontier/model/frontier_planner.h"

namespace frontier_model_test {

using namespace kvantage;
using test::record_of;

namespace {

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

class FrontierModelTest : public QObject {
  Q_OBJECT

 private slots:
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
};

KV_TEST_GUILESS_MAIN(FrontierModelTest)

}  // namespace frontier_model_test

#include "frontier_model_test.moc"
