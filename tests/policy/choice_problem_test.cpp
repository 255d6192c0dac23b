// links: kv_base
// The MILP solver against HiGHS (tests/parity/make_milp_goldens.py) and against our own search: the same optimum, to
// the byte within the rooms, the same each time, and ended when asked.
#include <QtTest>

#include <chrono>
#include <cmath>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/policy/exact_search.h"
#include "core/policy/milp/search_bounds.h"
#include "core/policy/policy.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace choice_problem_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// The formula of the script.
ChoiceProblem drawn(std::uint64_t seed, std::size_t groups, int tiers, std::uint64_t forms) {
  Random random(seed);
  ChoiceProblem problem;
  for (int tier = 0; tier < tiers; ++tier)
    problem.rooms.push_back(groups * 800 * static_cast<std::uint64_t>(tier + 1) + random.below(1000));
  for (std::size_t group = 0; group < groups; ++group) {
    const std::uint64_t size = 1000 + random.below(9000);
    const double worth = random.uniform();
    std::vector<ChoiceOption>& options = problem.groups.emplace_back();
    options.push_back({-1, 0, 0.1 * random.uniform()});
    for (int tier = 0; tier < tiers; ++tier)
      for (std::uint64_t form = 1; form <= forms; ++form) {
        const double k = static_cast<double>(form);
        const double value = worth * (1 - 0.3 * tier) * k / (k + 1) + 0.05 * random.uniform();
        options.push_back({tier, size * form / forms, value});
      }
  }
  return problem;
}

/// Bytes by tier; the value of the choice.
double value_within_rooms(const ChoiceProblem& problem, const ChoiceSolution& solution) {
  std::vector<std::uint64_t> used(problem.rooms.size(), 0);
  double value = 0;
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    const ChoiceOption& option = problem.groups[group].at(solution.chosen.at(group));
    value += option.value;
    if (option.tier >= 0) used[static_cast<std::size_t>(option.tier)] += option.bytes;
  }
  for (std::size_t tier = 0; tier < used.size(); ++tier)
    if (used[tier] > problem.rooms[tier]) return -1;
  return value;
}

}  // namespace

class ChoiceProblemTest : public QObject {
  Q_OBJECT

 private slots:
  void optimaAreThoseOfHighs() {
    if (!milp_is_available()) QSKIP("built without a MILP solver");
    const auto goldens =
        read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/choice_optima.json");
    QVERIFY(goldens.has_value());
    int proven = 0;
    for (const Json& one : goldens->at("cases")) {
      const ChoiceProblem problem = drawn(one.at("seed").get<std::uint64_t>(), one.at("groups").get<std::size_t>(),
                                          one.at("tiers").get<int>(), one.at("forms").get<std::uint64_t>());
      const auto solved = solve_choices(problem, {.seconds = 60});
      QVERIFY(solved.has_value());
      const double optimum = one.at("optimum").get<double>(), value = value_within_rooms(problem, *solved);
      const QString place = QString("seed %1: %2 instead of %3").arg(one.at("seed").get<int>()).arg(value).arg(optimum);
      QVERIFY2(value >= 0 && std::fabs(value - solved->value) < 1e-9, qPrintable(place));
      QVERIFY2(solved->bound >= optimum - 1e-7, qPrintable(place));
      QVERIFY2(value <= optimum + 1e-7, qPrintable(place));
      if (solved->bound - solved->value > 1e-7) continue;
      ++proven;
      QVERIFY2(std::fabs(value - optimum) < 1e-7, qPrintable(place));
    }
    QVERIFY2(proven >= 8, qPrintable(QString::number(proven)));
  }

  void theSameEachTime() {
    if (!milp_is_available()) QSKIP("built without a MILP solver");
    const ChoiceProblem problem = drawn(5, 40, 2, 6);
    const auto one = solve_choices(problem, {.nodes = 20}), other = solve_choices(problem, {.nodes = 20});
    QVERIFY(one && other);
    QVERIFY(one->chosen == other->chosen);
    QCOMPARE(one->bound, other->bound);
  }

  void endsWhenAsked() {
    bool inner = true;
    QVERIFY(!SearchCancel::is_asked());
    {
      const SearchCancel outer([] { return true; });
      QVERIFY(SearchCancel::is_asked());
      QVERIFY(!solve_choices(drawn(9, 300, 2, 3)).has_value());
      {
        const SearchCancel of_another([&] { return inner; });
        inner = false;
        QVERIFY(!SearchCancel::is_asked());
      }
      QVERIFY(SearchCancel::is_asked());
    }
    QVERIFY(!SearchCancel::is_asked());
    // In the middle of a search: at the tenth question.
    if (!milp_is_available()) return;
    int asked = 0;
    const SearchCancel soon([&] { return ++asked > 10; });
    QVERIFY(!solve_choices(drawn(9, 300, 2, 3), {.seconds = 60}).has_value());
    QVERIFY(asked > 10);
  }

  // Those of the thread beside those of the search: the tightest of all.
  void aThreadBoundsItsSearches() {
    const ChoiceLimits wide{.nodes = 5000, .seconds = 60, .columns = 50'000};
    QCOMPARE(SearchBounds::within(wide).nodes, 5000);
    {
      const SearchBounds outer(ChoiceLimits{.nodes = 700, .seconds = 2, .columns = 90'000});
      {
        const SearchBounds inner(ChoiceLimits{.nodes = 900, .seconds = 1, .columns = 100});
        const ChoiceLimits bounded = SearchBounds::within(wide);
        QCOMPARE(bounded.nodes, 700);
        QCOMPARE(bounded.seconds, 1.0);
        QCOMPARE(bounded.columns, std::size_t{100});
        QCOMPARE(SearchBounds::within({.nodes = 20}).nodes, 20);
        QVERIFY(!solve_choices(drawn(4, 40, 1, 6)).has_value());  // 240 columns
      }
      QCOMPARE(SearchBounds::within(wide).columns, std::size_t{50'000});
      QCOMPARE(SearchBounds::within(wide).seconds, 2.0);
    }
    QCOMPARE(SearchBounds::within(wide).seconds, 60.0);
    QCOMPARE(solve_choices(drawn(4, 40, 1, 6)).has_value(), milp_is_available());
  }

  // Before the solver has its turn, too.
  void theSearchEndsWhenAsked() {
    Random random(71);
    int ended = 0;
    for (int i = 0; i < 20; ++i) {
      const Snapshot snapshot = random_snapshot(random, {.contexts = 20, .tiers = 2, .methods = 2, .fractions = 3});
      const PlanningProblem problem(snapshot);
      const SearchResult whole = search_optimum(problem, snapshot.alpha, {.milp = false});
      const SearchCancel now([] { return true; });
      const SearchResult cut = search_optimum(problem, snapshot.alpha, {.milp = false});
      QVERIFY(cut.nodes <= 1);
      QVERIFY(cut.assignment.total_utility <= cut.upper_bound + 1e-9 * (1 + std::fabs(cut.upper_bound)));
      ended += whole.nodes > 1 && !cut.proven;
    }
    QVERIFY2(ended > 5, qPrintable(QString::number(ended)));
  }

  void tooManyColumnsAreNotTried() { QVERIFY(!solve_choices(drawn(4, 40, 1, 6), {.columns = 100}).has_value()); }

  // Where the search gives up at once, the solver finds what the search proves.
  void theSolverContinuesTheSearch() {
    if (!milp_is_available()) QSKIP("built without a MILP solver");
    Random random(67);
    int both = 0;
    for (int i = 0; i < 60; ++i) {
      const Snapshot snapshot = random_snapshot(random, {.contexts = 20, .tiers = 2, .methods = 2, .fractions = 3});
      const PlanningProblem problem(snapshot);
      const SearchResult searched = search_optimum(problem, snapshot.alpha, {.nodes = 300'000, .milp = false});
      const SearchResult solved = search_optimum(problem, snapshot.alpha, {.contexts = 0});
      QVERIFY(solved.assignment.total_utility <= solved.upper_bound + 1e-9 * (1 + std::fabs(solved.upper_bound)));
      if (!searched.proven || !solved.proven) continue;
      ++both;
      QVERIFY2(std::fabs(searched.assignment.total_utility - solved.assignment.total_utility) <=
                   1e-7 * (1 + std::fabs(searched.assignment.total_utility)),
               qPrintable(QString("problem %1: %2 instead of %3")
                              .arg(i)
                              .arg(solved.assignment.total_utility, 0, 'g', 17)
                              .arg(searched.assignment.total_utility, 0, 'g', 17)));
    }
    QVERIFY2(both > 40, qPrintable(QString::number(both)));
  }

  // The table says proven, or how far the optimum can be.
  void theGapIsSaid() {
    Random random(68);
    Snapshot snapshot;
    Plan best;
    do {  // where storing gains something
      snapshot = random_snapshot(random, {.contexts = 4, .tiers = 1});
      best = (*make_policy("optimal"))->plan(snapshot);
    } while (best.total_utility - prefill_everything(snapshot) < 1e-6);
    QVERIFY(best.upper_bound.has_value());
    QCOMPARE(plan_gap(snapshot, best), 0.0);
    QCOMPARE(gap_text(plan_gap(snapshot, best)), std::string("proven"));
    QCOMPARE(gap_text(0.0281), std::string("2.81 %"));
    QCOMPARE(gap_text(0.000012), std::string("0.0012 %"));
    Plan placements = best;  // as they are read from a record
    placements.upper_bound.reset();
    QCOMPARE(plan_gap(snapshot, placements, "optimal(replan_requests=4)"), 0.0);
    QVERIFY(plan_gap(snapshot, placements, "evicpress") >= 0);
    Plan worse = best;
    worse.total_utility -= 1;
    QVERIFY(plan_gap(snapshot, worse) > 0);
  }
};

KV_TEST_GUILESS_MAIN(ChoiceProblemTest)

}  // namespace choice_problem_test

#include "choice_problem_test.moc"
