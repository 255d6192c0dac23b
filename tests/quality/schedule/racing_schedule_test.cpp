// links: core_quality_schedule
// The race against planted curves: what it loses, what it drops, where it ends.
#include "core/quality/schedule/racing_schedule.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/policy/policy.h"
#include "tests/policy/random_snapshots.h"
#include "tests/quality/schedule/planted_grid.h"
#include "tests/support/test_program.h"

namespace racing_schedule_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

ProfileSchedule schedule_of(const PlantedGrid& world, const MeasuredGrid& grid, const RacingRules& rules = {},
                            const std::optional<RaceState>& start = {}) {
  return racing_schedule(world.live, grid, GridBeliefs(grid), rules, start);
}

/// Measures batch after batch, at most so many answers; returns the batches.
std::vector<ProfileBatch> race(const PlantedGrid& world, MeasuredGrid& grid, std::size_t most_answers,
                               const RacingRules& rules = {}) {
  std::vector<ProfileBatch> done;
  std::optional<RaceState> start;
  while (grid.answers() < most_answers) {
    const ProfileSchedule schedule = schedule_of(world, grid, rules, start);
    if (schedule.start) start = schedule.start;
    if (schedule.batches.empty()) break;
    const ProfileBatch& batch = schedule.batches.front();
    if (grid.answers() + static_cast<std::size_t>(batch.answers()) > most_answers) break;
    for (const CellRequest& cell : batch.cells) world.measure(grid, batch.context, cell);
    done.push_back(batch);
  }
  return done;
}

double utility_by(const PlantedGrid& world, const MeasuredGrid& grid) {
  const auto policy = make_policy("evicpress").value();
  return world.true_utility(policy->plan(grid_snapshot(world.live, grid, GridBeliefs(grid))));
}

bool all_intervals_hold(const PlantedGrid& world, const GridBeliefs& beliefs) {
  for (std::size_t c = 0; c < world.contexts.size(); ++c)
    for (std::size_t f = 0; f < world.forms.size(); ++f) {
      const CellBelief& belief = beliefs.of(c, f);
      if (world.truth[c][f] < belief.low || world.truth[c][f] > belief.high) return false;
    }
  return true;
}

}  // namespace

class RacingScheduleTest : public QObject {
  Q_OBJECT

 private slots:
  // Before anything else every context has a point of every method: of its own, or pooled.
  void coarseCurvesComeFirst() {
    const PlantedGrid world(3, {.families = 3, .similar = 3});
    MeasuredGrid grid = world.nothing_measured();
    const ProfileSchedule first = schedule_of(world, grid);
    QVERIFY(first.state.stage == ProfileStage::coarse);
    QCOMPARE(first.batches.size(), world.contexts.size());
    std::size_t answers = 0;
    std::map<std::pair<std::string, std::string>, std::set<double>> fractions;  // by family and method
    for (const ProfileBatch& batch : first.batches) {
      QVERIFY(batch.stage == ProfileStage::coarse);
      QCOMPARE(batch.cells.front(), (CellRequest{0, 0, 1}));  // uncompressed
      QCOMPARE(batch.cells.size(), std::size_t{5});           // and each method once
      for (const CellRequest& cell : batch.cells) {
        world.measure(grid, batch.context, cell);
        const GridForm& form = world.forms[cell.form];
        fractions[{world.contexts[batch.context].family, form.method}].insert(form.removed_fraction);
      }
      answers += static_cast<std::size_t>(batch.answers());
    }
    QCOMPARE(first.state.coarse_left, answers);
    for (const auto& [of, asked] : fractions)
      if (of.second != "none") QVERIFY((asked == std::set{0.2, 0.6, 0.9}));  // the three take one each
    const GridBeliefs beliefs(grid);
    for (const ContextState& context : grid_snapshot(world.live, grid, beliefs).contexts) {
      std::map<std::string, int> points;
      int pooled = 0;
      for (const ProfilePoint& point : context.profile->points) {
        ++points[point.method];
        pooled += point.pooled() ? 1 : 0;
        QVERIFY(point.quality_low <= point.quality && point.quality <= point.quality_high);
      }
      for (std::size_t m = 0; m < 4; ++m) QVERIFY(points[PlantedGrid::method(m)] >= 3);
      QCOMPARE(pooled, 20 - 4);  // all but the own ones are marked
    }
    QCOMPARE(schedule_of(world, grid).state.coarse_left, std::size_t{0});
  }

  void aContextAloneHasThreePointsOfItsOwn() {
    const PlantedGrid world(4, {.families = 2, .similar = 1});
    for (const ProfileBatch& batch : schedule_of(world, world.nothing_measured()).batches)
      QCOMPARE(batch.cells.size(), std::size_t{1 + 4 * 3});
  }

  // The plan of a fifth of the answers against that of all of them, both valued by what is true.
  void aFifthOfTheAnswersIsEnough() {
    double full = 0, raced = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const PlantedGrid world(derive_seed(11, seed), {});
      MeasuredGrid grid = world.nothing_measured();
      (void)race(world, grid, grid.full_answers() / 5, {.good_enough = 0});
      QVERIFY(5 * grid.answers() <= grid.full_answers());
      full += utility_by(world, world.fully_measured());
      raced += utility_by(world, grid);
    }
    std::printf("plans of a fifth of the answers lose %.2f %% of the full grid's utility\n", 100 * (1 - raced / full));
    QVERIFY(raced >= 0.99 * full);
  }

  // Where all intervals hold, the best plan of all forms is as good without the dropped ones.
  void whatIsDroppedIsInNoNeededPlan() {
    int checked = 0;
    std::size_t dropped = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const PlantedGrid world(derive_seed(12, seed), {.families = 3,
                                                      .similar = 1,
                                                      .methods = 2,
                                                      .questions = 40,
                                                      .fractions = {0.4, 0.8},
                                                      .alpha = seed % 2 == 0 ? 0.3 : 0.02});
      MeasuredGrid grid = world.nothing_measured();
      (void)race(world, grid, grid.full_answers() * 3 / 4, {.good_enough = 0});
      const GridBeliefs beliefs(grid);
      if (!all_intervals_hold(world, beliefs)) continue;
      const PlanStakes stakes = plan_stakes(grid_snapshot(world.live, grid, beliefs), grid, beliefs, {});
      Snapshot all = world.true_snapshot(), raced = all;
      for (std::size_t c = 0; c < world.contexts.size(); ++c) {
        auto profile = std::make_shared<ContextProfile>();
        for (std::size_t f = 0; f < world.forms.size(); ++f)
          if (!stakes.contexts[c].dropped[f]) profile->points.push_back(all.contexts[c].profile->points[f]);
        raced.contexts[c].profile = profile;
      }
      const double best = testing::exhaustive_best(all);
      QVERIFY(std::fabs(testing::exhaustive_best(raced) - best) <= 1e-9 * (1 + std::fabs(best)));
      ++checked;
      dropped += stakes.dropped;
    }
    std::printf("%d worlds, %zu cells out of the race\n", checked, dropped);
    QVERIFY(checked > 5 && dropped > 5);
  }

  // A cell whose upper end is below another's lower end, in more space: no plan needs it.
  void aDominatedFormIsOutOfTheRace() {
    Snapshot live;
    live.alpha = 1;
    live.prefill = {10, 0, 0};
    live.tiers = {{.name = "dram", .budget_bytes = 1 << 20, .model = {0, 1e9, 0, 0}}};
    ContextState context;
    context.tokens = 1000;
    context.full_bytes = 100'000;
    context.frequency = 1;
    live.contexts.push_back(context);
    MeasuredGrid grid({{"none", 0}, {"bad", 0.2}, {"good", 0.5}}, {{"story", 1000, 100}});
    grid.cell(0, 0) = {.n = 100, .sum = 100, .squares = 100, .bytes = 100'000, .kept_tokens = 1000};
    grid.cell(0, 1) = {.n = 50, .sum = 5, .squares = 5, .bytes = 80'000, .kept_tokens = 800};
    grid.cell(0, 2) = {.n = 50, .sum = 48, .squares = 48, .bytes = 50'000, .kept_tokens = 500};
    const GridBeliefs beliefs(grid);
    QVERIFY(beliefs.of(0, 1).high < beliefs.of(0, 2).low);
    const PlanStakes stakes = plan_stakes(grid_snapshot(live, grid, beliefs), grid, beliefs, {});
    QVERIFY((stakes.contexts[0].dropped == std::vector<bool>{false, true, false}));
    QCOMPARE(stakes.contexts[0].stakes[1], 0.0);
    grid.cell(0, 1).bytes = 40'000;  // now it is smaller, and a tighter budget may need it
    const PlanStakes now = plan_stakes(grid_snapshot(live, grid, beliefs), grid, beliefs, {});
    QVERIFY(!now.contexts[0].dropped[1]);
  }

  // A session that begins again from what was stored continues with the same batches.
  void resumingIsAsIfNeverStopped() {
    const PlantedGrid world(21, {.families = 3, .similar = 2, .questions = 6});
    MeasuredGrid through = world.nothing_measured();
    const std::vector<ProfileBatch> batches = race(world, through, through.full_answers());
    QVERIFY(batches.size() > 10);
    std::vector<std::vector<int>> asked(world.contexts.size(), std::vector<int>(world.forms.size(), 0));
    for (const ProfileBatch& batch : batches) {
      MeasuredGrid stored = world.nothing_measured();  // as read from the database
      for (std::size_t c = 0; c < asked.size(); ++c)
        for (std::size_t f = 0; f < asked[c].size(); ++f)
          if (asked[c][f] > 0) world.measure(stored, c, {f, 0, asked[c][f]});
      const ProfileBatch next = schedule_of(world, stored).batches.front();
      QCOMPARE(next.context, batch.context);
      QVERIFY(next.cells == batch.cells);
      for (const CellRequest& cell : batch.cells) {
        QCOMPARE(cell.first, asked[batch.context][cell.form]);  // nothing is asked twice
        asked[batch.context][cell.form] += cell.count;
      }
    }
  }

  // Gains of many contexts add up, though the errors of their estimates even out.
  void whatManyContextsGainIsAddedUp() {
    const PlantedGrid world(51, {.families = 20, .similar = 2, .methods = 2});
    MeasuredGrid grid = world.nothing_measured();
    (void)race(world, grid, grid.full_answers() / 10, {.good_enough = 0});
    const GridBeliefs beliefs(grid);
    const PlanStakes stakes = plan_stakes(grid_snapshot(world.live, grid, beliefs), grid, beliefs, {});
    double expected = 0, most = 0, squares = 0;
    for (const ContextStakes& context : stakes.contexts) {
      expected += context.expected;
      most += std::max(context.expected, context.regret);
      squares += context.regret * context.regret;
    }
    QVERIFY(expected > 0);
    QVERIFY(stakes.may_rise > expected && stakes.may_rise < most);
    QVERIFY(stakes.may_rise > std::sqrt(squares));
  }

  void itEndsWhereItIsGoodEnough() {
    const PlantedGrid world(31, {.families = 4, .similar = 2, .questions = 8});
    MeasuredGrid strict = world.nothing_measured(), lenient = world.nothing_measured();
    (void)race(world, strict, strict.full_answers(), {.good_enough = 0.02});
    (void)race(world, lenient, lenient.full_answers(), {.good_enough = 0.2});
    QVERIFY(lenient.answers() < strict.answers());
    const ScheduleState at = schedule_of(world, lenient, {.good_enough = 0.2}).state;
    QVERIFY(at.is_good_enough && at.may_rise <= 0.2 && at.stage == ProfileStage::done);
    QCOMPARE(at.answers_left, std::size_t{0});
    // Measured in full, nothing more can be gained by measuring.
    const ScheduleState all = schedule_of(world, world.fully_measured(), {.good_enough = 0}).state;
    QCOMPARE(all.may_rise, 0.0);
    QVERIFY(all.stage == ProfileStage::done);
    QCOMPARE(all.answers, all.full_answers);
  }

  void whatIsLeftIsEstimated() {
    const PlantedGrid world(41, {.families = 4, .similar = 2, .questions = 8});
    MeasuredGrid grid = world.nothing_measured();
    for (int batches = 0;; ++batches) {
      const ProfileSchedule schedule = schedule_of(world, grid);
      const ScheduleState& state = schedule.state;
      QVERIFY(state.answers + state.answers_left <= state.full_answers);
      QVERIFY(state.answers == 0 || state.answers_left >= state.coarse_left);
      QVERIFY(state.answers_left <= state.race_left);
      if (state.coarse_left > 0) QCOMPARE(state.answers_left, state.coarse_left);  // until the first curves
      if (schedule.batches.empty()) break;
      QVERIFY(batches < 1000);
      if (batches == 1) {  // contexts that wait for their coarse batch are to race, too: more than one context's grid
        const ScheduleState all = schedule_of(world, grid, {.good_enough = 0}).state;
        QVERIFY(all.race_left > all.coarse_left + world.forms.size() * 8);
      }
      for (const CellRequest& cell : schedule.batches.front().cells)
        world.measure(grid, schedule.batches.front().context, cell);
    }
  }
};

KV_TEST_APPLESS_MAIN(RacingScheduleTest)

}  // namespace racing_schedule_test

#include "racing_schedule_test.moc"
