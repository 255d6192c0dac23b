// links: kv_ui_models
// From a hand on a control to the new present point and to the whole curve, at 1,000 contexts: a budget moves, which is
// the control whose every step needs new plans. Times are printed; asserted is what was planned for them.
#include <QSignalSpy>
#include <QTest>
#include <chrono>
#include <cstdio>
#include <mutex>

#include "core/policy/frontier.h"
#include "core/policy/planning_problem.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/frontier/model/frontier_driver.h"
#include "ui/live/frontier/model/frontier_planner.h"

namespace frontier_bench_test {

using namespace kvantage;

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

PlannerRequest request_of(const ScriptedSession& session) {
  PlannerRequest request;
  request.snapshot = session.snapshot();
  request.settings = request.committed = session.settings();
  request.alphas = alpha_scale(*request.snapshot).grid(FrontierDriver::alphas_in_curve);
  request.policies = {"full_prefill", "lru", "evicpress", "adaptcache"};
  return request;
}

}  // namespace

class FrontierBench : public QObject {
  Q_OBJECT
 private slots:
  void partsOfAnAnswer() {
    ScriptedSession session(1000);
    session.set_state(RunState::ready);
    session.serve(2000);
    const PlannerRequest request = request_of(session);
    std::vector<double> copies, problems, plans, curves;
    for (int i = 0; i < 15; ++i) {
      auto start = Clock::now();
      const Snapshot snapshot = expected_demand(snapshot_under(*request.snapshot, request.settings, request.committed));
      copies.push_back(ms_since(start));
      start = Clock::now();
      const PlanningProblem problem(snapshot);
      problems.push_back(ms_since(start));
      const auto policy = *make_policy("evicpress");
      start = Clock::now();
      policy->plan(snapshot);
      plans.push_back(ms_since(start));
      start = Clock::now();
      const auto points = policy->curve(snapshot, request.alphas);
      curves.push_back(ms_since(start));
      QCOMPARE(points.size(), request.alphas.size());
    }
    std::printf(
        "1,000 contexts x 17 forms x 2 tiers: copy %.2f ms, flattened in %.2f ms, plan in words %.2f ms, "
        "%zu alphas of a curve %.1f ms = %.2f plans in words\n",
        median(copies), median(problems), median(plans), request.alphas.size(), median(curves),
        median(curves) / median(plans));
  }

  void fromAMovedBudgetToPointAndCurve() {
    ScriptedSession session(1000);
    session.set_state(RunState::ready);
    session.serve(2000);
    PlannerRequest request = request_of(session);
    FrontierPlanner planner;
    struct Answer {
      FrontierPrediction prediction;
      double ms = 0;
    };
    std::mutex mutex;
    std::vector<Answer> told;  // by three threads
    Clock::time_point start;
    connect(
        &planner, &FrontierPlanner::finished, &planner,
        [&](const FrontierPrediction& answer) {
          const std::lock_guard lock(mutex);
          told.push_back({answer, ms_since(start)});
        },
        Qt::DirectConnection);
    std::vector<double> first, whole, others, all;
    for (int i = 0; i < 9; ++i) {
      {
        const std::lock_guard lock(mutex);
        told.clear();
      }
      const std::uint64_t before = planner.plans();
      request.settings.tiers[0].budget = request.settings.tiers[0].budget.bytes() * 21 / 20;
      start = Clock::now();
      const std::uint64_t job = planner.request(request);
      const auto count = [&] {
        const std::lock_guard lock(mutex);
        return told.size();
      };
      QTRY_VERIFY_WITH_TIMEOUT(count() == 6 && !planner.busy(), 30000);
      // Each alpha of each policy is planned once.
      QCOMPARE(planner.plans() - before, 2 * request.alphas.size());
      std::vector<Answer> of_hand, of_others;
      for (const Answer& answer : told) {
        QCOMPARE(answer.prediction.job, job);
        const FrontierPrediction& made = answer.prediction;
        if (made.simulated_known) continue;
        const QString policy = made.curves.empty() ? made.ahead.policy : made.curves[0].policy;
        QVERIFY(made.curves.size() <= 1);
        (policy == "evicpress" ? of_hand : of_others).push_back(answer);
      }
      // A few alphas for the first answer, a few more for the coarse curve, the rest; the other policy's curve beside
      // them.
      QCOMPARE(of_hand.size(), std::size_t{3});
      QCOMPARE(of_others.size(), std::size_t{2});
      QVERIFY(of_hand[0].prediction.ahead.samples.size() <= 2 && of_hand[0].prediction.curves.empty());
      QVERIFY(of_hand[1].prediction.coarse && of_hand[1].prediction.curves[0].samples.size() <= 10);
      QVERIFY(!of_hand[2].prediction.coarse);
      QCOMPARE(of_hand[2].prediction.curves[0].samples.size(), request.alphas.size());
      QVERIFY(of_others[0].prediction.coarse && !of_others[1].prediction.coarse);
      QCOMPARE(of_others[1].prediction.curves[0].policy, QStringLiteral("adaptcache"));
      QCOMPARE(of_others[1].prediction.curves[0].samples.size(), request.alphas.size());
      // The first answers say of the present point what the whole curve says.
      std::vector<FrontierMean> present;
      for (const Answer& answer : of_hand) {
        FrontierModel model;
        model.set_prediction(answer.prediction);
        model.set_present("evicpress", request.settings.alpha);
        present.push_back(*model.present());
      }
      for (const FrontierMean& mean : present) {
        QCOMPARE(mean.quality, present.back().quality);
        QCOMPARE(mean.ttft_seconds, present.back().ttft_seconds);
      }
      first.push_back(of_hand[0].ms);
      whole.push_back(of_hand[2].ms);
      others.push_back(of_others[0].ms);
      all.push_back(of_others[1].ms);
    }
    std::printf(
        "a budget moved, 1,000 contexts: present point after %.1f ms, its whole curve after %.1f ms, "
        "the other policy's coarse after %.1f ms and whole after %.1f ms\n",
        median(first), median(whole), median(others), median(all));
  }

  void whatANewerMoveMakesUselessIsNotPlanned() {
    ScriptedSession session(1000);
    session.set_state(RunState::ready);
    session.serve(500);
    PlannerRequest request = request_of(session);
    FrontierPlanner planner;
    std::uint64_t latest = 0;
    int late = 0, points = 0;
    std::vector<double> lag;
    std::vector<Clock::time_point> asked(200);
    connect(
        &planner, &FrontierPlanner::finished, &planner,
        [&](const FrontierPrediction& answer) {
          if (answer.plans == 0) return;
          ++points;
          if (!answer.ahead.samples.empty()) lag.push_back(ms_since(asked[answer.job]));
          late += answer.job == latest && answer.simulated_known;
        },
        Qt::QueuedConnection);
    constexpr int moves = 60;
    for (int i = 0; i < moves; ++i) {
      request.settings.tiers[0].budget = request.settings.tiers[0].budget.bytes() + 50'000;
      asked[static_cast<std::size_t>(i + 1)] = Clock::now();
      latest = planner.request(request);
      QTest::qWait(16);
    }
    QTRY_VERIFY_WITH_TIMEOUT(late == 1, 30000);
    const std::uint64_t full = 2 * request.alphas.size();
    std::printf(
        "%d moves in a row, one each 16 ms: %llu plans instead of %llu, %d answers, each %.1f ms after its move\n",
        moves, static_cast<unsigned long long>(planner.plans()), static_cast<unsigned long long>(moves * full), points,
        median(lag));
    QVERIFY(points >= 3);
    QVERIFY(planner.plans() < moves * full);
  }
};

KV_TEST_GUILESS_MAIN(FrontierBench)

}  // namespace frontier_bench_test

#include "frontier_bench_test.moc"
