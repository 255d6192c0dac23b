// links: kv_ui_models
// From a hand on a control to the new present point and to the whole curve, at 1,000 contexts: a budget moves, which is the
// control whose every step needs new plans. Times are printed; asserted is what was planned for them.
#include <QSignalSpy>
#include <QTest>
#include <chrono>
#include <cstdio>

#include "core/policy/frontier.h"
#include "core/policy/planning_problem.h"
#include "tests/ui/scripted_session.h"
#include "ui/models/frontier_driver.h"
#include "ui/models/frontier_planner.h"

using namespace kvantage;

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

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
      const Snapshot snapshot = steady_state(snapshot_under(*request.snapshot, request.settings, request.committed));
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
    std::printf("1,000 contexts x 17 forms x 2 tiers: copy %.2f ms, flattened in %.2f ms, plan in words %.2f ms, "
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
    std::vector<FrontierPrediction> answers;
    std::vector<double> at;
    Clock::time_point start;
    std::size_t modelled = 0;
    connect(&planner, &FrontierPlanner::finished, &planner, [&](const FrontierPrediction& answer) {
      if (answer.modelled_known) {
        ++modelled;
        return;
      }
      answers.push_back(answer);
      at.push_back(ms_since(start));
    }, Qt::QueuedConnection);
    std::vector<double> first, whole, others, all;
    for (int i = 0; i < 9; ++i) {
      answers.clear();
      at.clear();
      modelled = 0;
      const std::uint64_t before = planner.plans();
      request.settings.tiers[0].budget_bytes += request.settings.tiers[0].budget_bytes / 20;
      start = Clock::now();
      const std::uint64_t job = planner.request(request);
      QTRY_VERIFY_WITH_TIMEOUT(answers.size() == 5 && modelled == 1, 30000);
      for (const FrontierPrediction& answer : answers) QCOMPARE(answer.job, job);
      // Each alpha of each policy is planned once: a few for the first answer, the rest of that curve, the other policies.
      QVERIFY(answers[0].curves.empty() && answers[0].plans - before <= 2);
      QCOMPARE(answers[0].ahead.policy, QStringLiteral("evicpress"));
      FrontierModel ahead;
      ahead.set_prediction(answers[0]);
      answers.erase(answers.begin());
      QVERIFY(answers[0].curves_partial && answers[0].plans - before <= 10);
      QCOMPARE(answers[0].curves.size(), std::size_t{1});
      QVERIFY(answers[1].curves_partial);
      QCOMPARE(answers[1].plans - before, request.alphas.size());
      QCOMPARE(answers[1].curves[0].samples.size(), request.alphas.size());
      QVERIFY(answers[2].curves_partial && answers[2].curves[0].policy == "adaptcache");
      QVERIFY(answers[2].plans - before <= request.alphas.size() + 10);
      QVERIFY(!answers[3].curves_partial && answers[3].curves.size() == 2);
      QCOMPARE(answers[3].plans - before, 2 * request.alphas.size());
      // The first answers say of the present point what the whole curve says.
      FrontierModel coarse, fine;
      for (auto [model, answer] : {std::pair{&coarse, &answers[0]}, {&fine, &answers[1]}}) {
        model->set_prediction(*answer);
        model->set_present("evicpress", request.settings.alpha);
      }
      QCOMPARE(coarse.present()->quality, fine.present()->quality);
      QCOMPARE(coarse.present()->ttft_seconds, fine.present()->ttft_seconds);
      ahead.set_present("evicpress", request.settings.alpha);
      QCOMPARE(ahead.present()->quality, fine.present()->quality);
      QCOMPARE(ahead.present()->ttft_seconds, fine.present()->ttft_seconds);
      first.push_back(at[0]);
      whole.push_back(at[2]);
      others.push_back(at[3]);
      all.push_back(at[4]);
    }
    std::printf("a budget moved, 1,000 contexts: present point after %.1f ms, its whole curve after %.1f ms, "
                "the other policies' coarse after %.1f ms and whole after %.1f ms\n",
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
    connect(&planner, &FrontierPlanner::finished, &planner, [&](const FrontierPrediction& answer) {
      if (answer.plans == 0) return;
      ++points;
      if (answer.curves_partial && !answer.modelled_known) lag.push_back(ms_since(asked[answer.job]));
      late += answer.job == latest && answer.modelled_known;
    }, Qt::QueuedConnection);
    constexpr int moves = 60;
    for (int i = 0; i < moves; ++i) {
      request.settings.tiers[0].budget_bytes += 50'000;
      asked[static_cast<std::size_t>(i + 1)] = Clock::now();
      latest = planner.request(request);
      QTest::qWait(16);
    }
    QTRY_VERIFY_WITH_TIMEOUT(late == 1, 30000);
    const std::uint64_t full = 2 * request.alphas.size();
    std::printf("%d moves in a row, one each 16 ms: %llu plans instead of %llu, %d answers, each %.1f ms after its move\n", moves,
                static_cast<unsigned long long>(planner.plans()), static_cast<unsigned long long>(moves * full), points, median(lag));
    QVERIFY(points >= 3);
    QVERIFY(planner.plans() < moves * full);
  }
};

QTEST_GUILESS_MAIN(FrontierBench)
#include "frontier_bench_test.moc"
