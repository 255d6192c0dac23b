// links: core_quality tiers
// The part of the engine that measures quality curves, where cells are scheduled one by one.
#include "core/quality/scheduled_curves.h"

#include <QtTest>

#include "tests/quality/stub_profiling.h"
#include "tests/support/test_program.h"

namespace scheduled_curves_test {

using namespace kvantage;
using namespace kvantage::test;

class ScheduledCurvesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // Cells are measured as scheduled, and each is kept as soon as its batch is.
  void scheduledCellsAreAddedToTheCurve() {
    Profiling profiling;
    profiling.schedule.on = true;
    profiling.schedule.batches = {{0, {{"none", 0, 0, 1}, {"knorm", 0.5, 0, 1}}},
                                  {1, {{"none", 0, 0, 1}}},
                                  {0, {{"knorm", 0.5, 1, 1}, {"knorm", 0.8, 0, 2}}}};
    QCOMPARE(profiling.profile_everything(), 3);
    const auto& cells = profiling.curves.cells[0];
    QCOMPARE(cells.size(), std::size_t{3});
    const auto n = [&](const std::string& method, double fraction) {
      const auto cell = std::ranges::find_if(cells, [&](const ProfileCell& one) {
        return one.point.method == method && one.point.removed_fraction == fraction;
      });
      return cell == cells.end() ? std::size_t{0} : cell->scores.size();
    };
    QVERIFY(n("none", 0) == 1 && n("knorm", 0.5) == 2 && n("knorm", 0.8) == 2);
    for (const ProfileCell& cell : cells) {
      QCOMPARE(static_cast<std::size_t>(cell.point.n), cell.scores.size());
      QVERIFY(cell.point.bytes > 0 && cell.point.kept_tokens > 0);
    }
    QCOMPARE(profiling.schedule.answers, std::uint64_t{6});
    QVERIFY(profiling.schedule.took_time);
    QCOMPARE(profiling.store.profiles_saved, 3);
    const auto progress = profiling.parts.sink.all<events::Progress>();
    QVERIFY(!progress.empty() && progress.back().what == "Profiling answers");
    QCOMPARE(progress.back().done, progress.back().total);
    QVERIFY(profiling.errors().empty());
  }

  // What an answer takes is without the prefill of its context, which is not done again for later batches.
  void thePrefillIsNoPartOfThePace() {
    Profiling profiling(1);
    profiling.schedule.on = true;
    profiling.schedule.batches = {{0, {{"none", 0, 0, 1}, {"knorm", 0.5, 0, 1}}}, {0, {{"knorm", 0.5, 1, 1}}}};
    QCOMPARE(profiling.profile_everything(), 2);
    const auto computed = profiling.parts.sink.all<events::ContextComputed>();
    const auto profiled = profiling.parts.sink.all<events::ContextProfiled>();
    QCOMPARE(computed.size(), std::size_t{1});
    QCOMPARE(profiled.size(), std::size_t{2});
    QVERIFY(computed[0].seconds > 0 && profiling.schedule.noted_seconds > 0);
    const double all = profiled[0].seconds + profiled[1].seconds;
    QVERIFY(profiling.schedule.noted_seconds + computed[0].seconds <= all + 1e-9);
  }

  // The same questions one by one as at once.
  void scheduledAnswersAreThoseOfTheWholeCurve() {
    Profiling whole(1), scheduled(1);
    (void)whole.profile_everything();
    scheduled.schedule.on = true;
    const auto questions = static_cast<int>(
        std::ranges::count(scheduled.parts.catalog->details(0).questions, false, &CatalogQuestion::held_out));
    for (int q = 0; q < questions; ++q)
      scheduled.schedule.batches.push_back({0, {{"none", 0, q, 1}, {"knorm", 0.5, q, 1}}});
    (void)scheduled.profile_everything();
    const auto &expected = whole.curves.cells[0], &measured = scheduled.curves.cells[0];
    QCOMPARE(measured.size(), expected.size());
    for (std::size_t c = 0; c < expected.size(); ++c) {
      QCOMPARE(measured[c].point.method, expected[c].point.method);
      QVERIFY(measured[c].scores == expected[c].scores);
      QCOMPARE(measured[c].point.bytes, expected[c].point.bytes);
    }
  }

  // What is measured of a batch when profiling stops is kept.
  void stoppingKeepsTheAnswersOfABatch() {
    Profiling profiling(1);
    profiling.schedule.on = profiling.schedule.keeps = true;
    profiling.schedule.batches.push_back({0, {{"none", 0, 0, 1}, {"knorm", 0.5, 0, 1}, {"knorm", 0.8, 0, 1}}});
    for (int most = 16; profiling.schedule.answers == 0 && most < 1'000'000; most *= 2) {
      profiling.profiler.profile_everything();
      for (int steps = 0; steps < most && profiling.schedule.answers == 0; ++steps)
        (void)profiling.profiler.step(0, true);
      if (profiling.schedule.answers == 0) profiling.profiler.stop();
    }
    QVERIFY(profiling.schedule.answers > 0);
    std::size_t kept = 0;
    for (const ProfileCell& cell : profiling.curves.cells[0]) kept += cell.scores.size();
    QCOMPARE(kept, static_cast<std::size_t>(profiling.schedule.answers));
    QCOMPARE(profiling.store.profiles_saved, 1);
    const int uses = profiling.curves.uses_of_all;
    profiling.profiler.stop();
    QVERIFY2(profiling.curves.uses_of_all > uses, "contexts keep the pooled points of earlier answers");
  }

  // Reference answers of a batch in progress are stored, with scores or without, and what is shown is of all answers.
  void stoppingStoresTheReferenceAnswersOfABatch() {
    Profiling profiling(1);
    profiling.schedule.on = true;
    profiling.schedule.batches.push_back({0, {{"none", 0, 0, 1}, {"knorm", 0.5, 0, 1}}});
    profiling.profiler.profile_everything();
    const auto answered = [&] {
      return std::ranges::any_of(profiling.parts.catalog->details(0).questions,
                                 [](const CatalogQuestion& question) { return question.reference_answer.has_value(); });
    };
    for (int steps = 0; steps < 1'000'000 && !answered(); ++steps) (void)profiling.profiler.step(0, true);
    QVERIFY(answered() && profiling.references.saved.empty() && profiling.schedule.catches_up == 0);
    profiling.profiler.stop();
    QVERIFY((profiling.references.learned == std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}}));
    QVERIFY((profiling.references.saved == std::vector<std::string>{"token_f1"}));
    QCOMPARE(profiling.schedule.catches_up, 1);
    QCOMPARE(profiling.curves.uses_of_all, 1);
  }

  // While the next batch is planned beside, nothing is measured, and nothing counts as complete.
  void aPlanIsWaitedForWithoutSteps() {
    Profiling profiling(1);
    profiling.schedule.on = profiling.schedule.plans = true;
    profiling.schedule.batches = {{0, {{"none", 0, 0, 1}}}};
    profiling.begin_run();
    compute_original(profiling.parts, 0, true);
    QVERIFY(!profiling.profiler.wanted(true) && profiling.schedule.asked_aside);
    QVERIFY(!profiling.profiler.step(no_time_limit, true) && profiling.requests.steps_begun == 0);
    profiling.profiler.profile_everything();
    QVERIFY(!profiling.profiler.wanted(true) && !profiling.profiler.finish_everything());
    profiling.schedule.plans = false;
    QVERIFY(profiling.profiler.wanted(true));
    (void)profiling.profile_everything();
    QCOMPARE(profiling.schedule.answers, std::uint64_t{1});
    QVERIFY((profiling.curves.pooled_alone == std::vector<std::size_t>{0}));
  }

  // After each plan of a run, points of all contexts are renewed, a step so many; then the policy hears of it.
  void aPlanRenewsThePointsOfAllContextsInSteps() {
    Profiling profiling(150);
    profiling.schedule.on = true;
    profiling.schedule.batches = {{0, {{"none", 0, 0, 1}}}};
    profiling.begin_run();
    compute_original(profiling.parts, 0, true);
    QCOMPARE(profiling.profiler.step(no_time_limit, true).value(), profiling.parts.catalog->state(0).key);
    QVERIFY(profiling.curves.refreshed.empty());
    profiling.schedule.renewed = true;
    QVERIFY(profiling.profiler.wanted(true));
    QVERIFY(!profiling.profiler.step(no_time_limit, true) && !profiling.profiler.step(no_time_limit, true));
    QVERIFY(profiling.profiler.wanted(true));
    QCOMPARE(profiling.profiler.step(no_time_limit, true).value(), profiling.parts.catalog->state(0).key);
    const std::size_t most = ScheduledCurves::contexts_a_step;
    QCOMPARE(most, std::size_t{64});
    QVERIFY((profiling.curves.refreshed ==
             std::vector<std::pair<std::size_t, std::size_t>>{{0, most}, {most, most}, {2 * most, most}}));
    QVERIFY(!profiling.profiler.wanted(true));
  }

  // All cells of a context are found together at the next start, those of another processor, too.
  void scheduledCellsTakeThoseOfAnotherProcessor() {
    Profiling profiling(1);
    ProfileCell other;
    other.context = {7, 7};
    other.point.method = "knorm";
    other.point.removed_fraction = 0.5;
    other.point.n = 1;
    other.scores = {0.25};
    profiling.curves.cells[0] = {other};
    profiling.schedule.on = true;
    profiling.schedule.batches = {{0, {{"none", 0, 0, 1}, {"knorm", 0.5, 1, 1}}}};
    (void)profiling.profile_everything();
    const auto& cells = profiling.curves.cells[0];
    QCOMPARE(cells.size(), std::size_t{2});
    for (const ProfileCell& cell : cells) QVERIFY(cell.context == profiling.parts.catalog->facts(0).key);
    QVERIFY(cells[0].scores.size() == 2 && cells[0].scores[0] == 0.25);
  }

  // The few answers of a batch that was begun earlier do not count as a whole curve.
  void aBatchIsDroppedOnceWholeCurvesAreWanted() {
    Profiling profiling(1);
    profiling.schedule.on = true;
    profiling.schedule.batches = {{0, {{"none", 0, 0, 1}, {"knorm", 0.5, 0, 1}}}};
    profiling.profiler.profile_everything();
    (void)profiling.profiler.step(0, true);
    QCOMPARE(profiling.schedule.answers, std::uint64_t{0});
    profiling.schedule.on = false;
    profiling.profiler.retry_failed();
    (void)profiling.profile_everything();
    const auto questions = static_cast<std::size_t>(
        std::ranges::count(profiling.parts.catalog->details(0).questions, false, &CatalogQuestion::held_out));
    QVERIFY(questions > 1);
    const auto& cells = profiling.curves.cells[0];
    QCOMPARE(cells.size(), std::size_t{2});
    for (const ProfileCell& cell : cells) QCOMPARE(cell.scores.size(), questions);
    QCOMPARE(profiling.schedule.answers, std::uint64_t{0});
  }
};

KV_TEST_GUILESS_MAIN(ScheduledCurvesTest)

}  // namespace scheduled_curves_test

#include "scheduled_curves_test.moc"
