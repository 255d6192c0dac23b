// links: core_quality_schedule
// How many answers the race still takes: where the bound falls as a power of the answers, and in races against planted
// curves, beside the estimate that errors shrink with the square root of the answers.
#include "core/quality/schedule/race_outlook.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

#include "tests/quality/schedule/planted_grid.h"
#include "tests/support/test_program.h"

namespace race_outlook_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// A schedule on the way: so many answers, and what it said is left.
struct Said {
  double answers = 0, left = 0, by_square_root = 0;
};

struct RaceSeen {
  std::vector<Said> said;  // of the race
  double end = 0, full = 0;
};

RaceSeen seen_race(const PlantedGrid& world, const RacingRules& rules) {
  MeasuredGrid grid = world.nothing_measured();
  std::optional<RaceState> start;
  RaceSeen seen;
  for (;;) {
    const ProfileSchedule schedule = racing_schedule(world.live, grid, GridBeliefs(grid), rules, start);
    if (schedule.start) start = schedule.start;
    const ScheduleState& state = schedule.state;
    seen.end = static_cast<double>(state.answers);
    seen.full = static_cast<double>(state.full_answers);
    if (schedule.batches.empty()) return seen;
    if (state.stage == ProfileStage::racing) {
      const double shrink = state.may_rise / rules.good_enough;
      seen.said.push_back({seen.end, static_cast<double>(state.answers_left),
                           std::min(static_cast<double>(state.race_left), seen.end * (shrink * shrink - 1))});
    }
    const ProfileBatch& batch = schedule.batches.front();
    for (const CellRequest& cell : batch.cells) world.measure(grid, batch.context, cell);
  }
}

}  // namespace

class RaceOutlookTest : public QObject {
  Q_OBJECT

 private slots:
  // Once there are three times as many answers, between half and one and a half times what it takes.
  void aPowerIsContinued_data() {
    QTest::addColumn<double>("power");
    for (const double power : {1.0, 1.5, 2.0, 3.0}) QTest::addRow("%.1f", power) << power;
  }
  void aPowerIsContinued() {
    QFETCH(const double, power);
    const RaceState start{1000, 0.3};
    for (const double grown : {3.0, 4.0, 6.0}) {
      const RaceState now{static_cast<std::size_t>(1000 * grown), 0.3 * std::pow(grown, -power)};
      constexpr double wanted = 0.001;
      const double true_left = static_cast<double>(now.answers) * (std::pow(now.may_rise / wanted, 1 / power) - 1);
      const auto left = static_cast<double>(answers_until(wanted, start, now));
      QVERIFY2(left > true_left / 2 && left < true_left * 1.5,
               qPrintable(QString("%1, not %2").arg(left).arg(true_left)));
    }
  }

  void atTheEndsThereIsNothingToEstimate() {
    const RaceState start{100, 0.5};
    QCOMPARE(answers_until(0.01, start, {200, 0.01}), std::size_t{0});
    QCOMPARE(answers_until(0, start, {200, 0.01}), std::numeric_limits<std::size_t>::max());
    QVERIFY(answers_until(0.01, start, start) > 100);           // nothing seen yet
    QVERIFY(answers_until(0.01, start, {200, 0.6}) > 200);      // the bound rose
    QVERIFY(answers_until(0.2, start, {200, 0.2000001}) >= 1);  // almost there
    QVERIFY(answers_until(0.01, start, {200, 0.1}) < answers_until(0.001, start, {200, 0.1}));
  }

  // It is rebuilt from the first answers, whatever was asked since.
  void theStartIsThatOfTheFirstCurves() {
    const PlantedGrid world(61, {.families = 3, .similar = 2, .questions = 6});
    MeasuredGrid grid = world.nothing_measured();
    std::optional<RaceState> start;
    for (;;) {
      const ProfileSchedule schedule = racing_schedule(world.live, grid, GridBeliefs(grid), {.good_enough = 0});
      if (schedule.batches.empty()) break;
      if (schedule.state.coarse_left == 0) {
        const RaceState begun = schedule.start.value();
        if (!start) start = RaceState{schedule.state.answers, schedule.state.may_rise};  // that schedule itself
        QCOMPARE(begun.answers, start->answers);
        QVERIFY(std::fabs(begun.may_rise - start->may_rise) <= 1e-9 * start->may_rise);
      }
      for (const CellRequest& cell : schedule.batches.front().cells)
        world.measure(grid, schedule.batches.front().context, cell);
    }
    QVERIFY(start && start->answers > 0 && grid.answers() > 2 * start->answers);
  }

  // Means over all schedules of several races; an error is a share of the full grid's answers.
  void racesTakeAboutAsManyAnswersAsSaid() {
    double error = 0, by_square_root = 0, count = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const PlantedGrid world(derive_seed(13, seed), {.families = 6, .similar = 2});
      const RaceSeen seen = seen_race(world, {.good_enough = 0.05});
      for (const Said& said : seen.said) {
        error += std::fabs(said.left - (seen.end - said.answers)) / seen.full;
        by_square_root += std::fabs(said.by_square_root - (seen.end - said.answers)) / seen.full;
        ++count;
      }
      std::printf("race of %.0f of %.0f answers, said at its begin: %.0f, and %.0f by the square root\n", seen.end,
                  seen.full, seen.said.empty() ? 0 : seen.said.front().answers + seen.said.front().left,
                  seen.said.empty() ? 0 : seen.said.front().answers + seen.said.front().by_square_root);
    }
    QVERIFY(count > 50);
    std::printf("mean error %.1f %% of the full grid's answers, %.1f %% by the square root\n", 100 * error / count,
                100 * by_square_root / count);
    QVERIFY(error / count <= 0.2);
    QVERIFY(error <= by_square_root / 2);
  }
};

KV_TEST_APPLESS_MAIN(RaceOutlookTest)

}  // namespace race_outlook_test

#include "race_outlook_test.moc"
