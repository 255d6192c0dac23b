// links: core_quality tiers
// The part of the engine that measures quality curves, beside requests that are the test's to say.
#include "core/quality/quality_profiler.h"

#include <QtTest>

#include "tests/quality/stub_profiling.h"
#include "tests/support/test_program.h"

namespace quality_profiler_test {

using namespace kvantage;
using namespace kvantage::test;

class QualityProfilerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void everyContextIsProfiledOnDemand() {
    Profiling profiling;
    QVERIFY(!profiling.profiler.wanted(false) && !profiling.profiler.wanted(true));  // nothing is archived
    QVERIFY(!profiling.profiler.finish_everything());                                // nobody asked
    QVERIFY(!profiling.profiler.step(no_time_limit, true) && profiling.profiled() == 0);
    profiling.profiler.profile_everything();
    QVERIFY(profiling.profiler.wanted(false));
    QVERIFY(!profiling.profiler.finish_everything());
    QCOMPARE(profiling.profile_everything(), 2);
    QCOMPARE(profiling.profiled(), std::size_t{2});
    QCOMPARE(profiling.curves.complete_contexts(), std::size_t{2});
    QVERIFY(!profiling.profiler.finish_everything());  // it is said once
    QVERIFY(!profiling.profiler.wanted(false));
    QCOMPARE(profiling.store.profiles_saved, 2);
    using Learned = std::vector<std::pair<std::size_t, std::size_t>>;
    QVERIFY((profiling.references.learned == Learned{{0, 0}, {1, 0}}));  // chance of words needs no model
    QVERIFY((profiling.references.saved == std::vector<std::string>{"token_f1", "token_f1"}));
    QCOMPARE(profiling.store.profiles.at(MemoryProfileStore::key_of(profiling.scope)).size(), std::size_t{4});
    QCOMPARE(profiling.parts.sink.count<events::ContextComputed>(), std::size_t{2});
    const auto progress = profiling.parts.sink.all<events::Progress>();
    QCOMPARE(progress.size(), std::size_t{3});
    for (std::uint64_t done = 0; done < 3; ++done) QVERIFY(progress[done].done == done && progress[done].total == 2);
    QCOMPARE(profiling.requests.steps_begun, profiling.requests.steps_ended);
    QVERIFY(profiling.requests.steps_begun > 20 && profiling.requests.in_order);
    QVERIFY(profiling.errors().empty());
  }

  // Contexts whose original is archived, where there is a database to keep the curve.
  void aRunWantsTheCurvesOfWhatIsArchived() {
    for (const bool database : {true, false}) {
      Profiling profiling(2, database);
      compute_original(profiling.parts, 1, true);
      QCOMPARE(profiling.profiler.wanted(true), database);
      QCOMPARE(profiling.profiler.settles(), database);
      QVERIFY(!profiling.profiler.wanted(false));
    }
    Profiling profiling;
    QVERIFY(!profiling.profiler.wanted(true));
    compute_original(profiling.parts, 1, true);
    QVERIFY(!profiling.profiler.wanted(true));  // it looked already, and no request has ended
    profiling.profiler.recheck_curves();
    QVERIFY(profiling.profiler.wanted(true));
    for (std::size_t q = 0; q < profiling.parts.catalog->details(1).questions.size(); ++q)
      profiling.parts.catalog->details(1).questions[q].held_out = true;
    profiling.profiler.recheck_curves();
    QVERIFY(!profiling.profiler.wanted(true));  // there is nothing to measure it by
  }

  void underARunThePolicyIsToHearOfACurve() {
    Profiling profiling;
    profiling.begin_run();
    for (const std::size_t context : {0, 1}) {
      compute_original(profiling.parts, context, true);
      profiling.parts.store->finish_writes();
    }
    profiling.parts.store->originals().forget();
    const auto first = profiling.profiler.step(no_time_limit, true);
    QCOMPARE(first.value(), profiling.parts.catalog->state(0).key);
    QVERIFY(profiling.parts.catalog->state(0).profile != nullptr);
    QVERIFY(profiling.parts.catalog->changed());
    QVERIFY(profiling.journal.reasons.empty());
    QCOMPARE(profiling.curves.uses_of_all, 0);
    QVERIFY(profiling.profiler.wanted(true));
    QCOMPARE(profiling.profiler.step(no_time_limit, true).value(), profiling.parts.catalog->state(1).key);
    QVERIFY((profiling.journal.reasons == std::vector<std::string>{"profiles"}));  // none is left
    QCOMPARE(profiling.curves.uses_of_all, 1);
    QCOMPARE(profiling.curves.pools, 2);
    QVERIFY(!profiling.profiler.wanted(true) && !profiling.profiler.settles());
    QVERIFY(!profiling.profiler.step(no_time_limit, true));
    QCOMPARE(profiling.parts.sink.count<events::ContextComputed>(), std::size_t{0});  // originals were read
    const auto counted = profiling.counters.so_far();
    QVERIFY(counted.profiling_seconds > 0 && counted.reprofiling_seconds == 0);
    QCOMPARE(counted.longest_profile_step_seconds, 0.0);  // nobody comes at a rate
  }

  // How long a request at a rate may have waited: the longest step, but for those that only wait for bytes.
  void theLongestStepIsCountedWhereRequestsComeAtARate() {
    Profiling profiling;
    profiling.begin_run();
    profiling.requests.at_a_rate = true;
    (void)profiling.profile_everything();
    const auto counted = profiling.counters.so_far();
    QVERIFY(counted.longest_profile_step_seconds >= EngineParts::step_ns * 1e-9);
    QVERIFY(counted.longest_profile_step_seconds < counted.profiling_seconds);
  }

  void aTurnEndsWhenItsTimeIsOverOrACommandWaits() {
    Profiling profiling;
    profiling.profiler.profile_everything();
    (void)profiling.profiler.step(0, false);
    QCOMPARE(profiling.requests.steps_begun, 1);
    profiling.parts.interrupted = true;
    (void)profiling.profiler.step(no_time_limit, false);
    QCOMPARE(profiling.requests.steps_begun, 2);
    QVERIFY(profiling.errors().empty());
  }

  // Requests that could begin end a turn of a run, but not while it is paused: none begins then.
  void whereARequestCouldBeginATurnEnds() {
    Profiling profiling;
    profiling.profiler.profile_everything();
    profiling.requests.could_begin = true;
    (void)profiling.profiler.step(no_time_limit, true);
    QCOMPARE(profiling.profiled(), std::size_t{1});  // no run: no request begins
    profiling.begin_run();
    const int before = profiling.requests.steps_begun;
    (void)profiling.profiler.step(no_time_limit, true);
    QCOMPARE(profiling.requests.steps_begun, before + 1);
    (void)profiling.profiler.step(no_time_limit, false);
    QCOMPARE(profiling.profiled(), std::size_t{2});
  }

  void aContextThatFailedIsNotTriedAgainUntilAskedFor() {
    Profiling profiling;
    for (const std::size_t context : {0, 1}) compute_original(profiling.parts, context, true);
    profiling.parts.store->finish_writes();
    profiling.parts.store->originals().forget();
    profiling.hold_all_blocks();
    QCOMPARE(profiling.profile_everything(), 2);
    const auto errors = profiling.errors();
    QCOMPARE(errors.size(), std::size_t{2});
    for (const std::size_t context : {0, 1}) {
      const std::string start = "profiling failed: context '" + profiling.parts.catalog->state(context).id + "': ";
      QVERIFY2(errors[context].starts_with(start), errors[context].c_str());
    }
    QCOMPARE(profiling.profiled(), std::size_t{0});
    profiling.give_blocks_back();
    const int tried = profiling.requests.steps_begun;
    QVERIFY(!profiling.profiler.wanted(true));
    (void)profiling.profiler.step(no_time_limit, true);
    QCOMPARE(profiling.requests.steps_begun, tried);
    profiling.profiler.retry_failed();
    profiling.profiler.recheck_curves();
    QVERIFY(profiling.profiler.wanted(true));
    (void)profiling.profiler.step(no_time_limit, true);
    QCOMPARE(profiling.profiled(), std::size_t{1});
    QCOMPARE(profiling.profile_everything(), 1);
    QCOMPARE(profiling.profiled(), std::size_t{2});
  }

  void whatAStoreDoesNotTakeIsSaid() {
    Profiling profiling(1);
    profiling.store.broken = {"save_profile"};
    profiling.profiler.profile_everything();
    (void)profiling.profiler.step(no_time_limit, true);
    QVERIFY((profiling.errors() == std::vector<std::string>{"profiling failed: save_profile: the database is locked"}));
    QVERIFY(profiling.curves.complete(0));
  }

  // Blocks that requests need are given back, and it begins again once one of them has ended.
  void requestsNeedTheBlocks() {
    Profiling profiling(1);
    profiling.requests.in_flight = true;
    profiling.profiler.profile_everything();
    QVERIFY(profiling.profiler.may_step());
    profiling.hold_all_blocks();
    (void)profiling.profiler.step(no_time_limit, true);
    QVERIFY(profiling.errors().empty());
    QVERIFY(!profiling.profiler.may_step() && !profiling.profiler.finish_everything());
    profiling.give_blocks_back();
    QVERIFY(!profiling.profiler.may_step());
    profiling.profiler.retry();
    QVERIFY(profiling.profiler.may_step());
    profiling.requests.leaves_time = false;
    QVERIFY(!profiling.profiler.may_step());
    profiling.requests.leaves_time = true;
    (void)profiling.profiler.step(no_time_limit, true);
    QCOMPARE(profiling.profiled(), std::size_t{1});
  }

  void roomIsMadeOnce() {
    Profiling profiling(1);
    QVERIFY(!profiling.profiler.free_memory());
    QVERIFY(profiling.profiler.may_step());
    profiling.profiler.profile_everything();
    for (int turn = 0; turn < 8; ++turn) (void)profiling.profiler.step(0, true);
    QVERIFY(profiling.parts.runtime->pool->live_blocks() > 0);
    QVERIFY(profiling.profiler.free_memory());
    profiling.parts.store->originals().forget();
    QCOMPARE(profiling.parts.runtime->pool->live_blocks(), std::size_t{0});
    QVERIFY(!profiling.profiler.free_memory() && !profiling.profiler.may_step());
    profiling.profiler.retry();
    QVERIFY(profiling.profiler.may_step());
    QCOMPARE(profiling.profile_everything(), 1);
  }

  // Each time, half as many forms are measured together: it holds less of what requests need.
  void whatWasLostIsMeasuredInSmallerBatches() {
    const auto measured_after = [](int losses) {
      Profiling profiling(1, true, with_invariant_products(with_pool(64 << 20)));
      profiling.curves.wanted = {{"knorm", "keydiff"}, {0.3, 0.6, 0.9}};
      compute_original(profiling.parts, 0, true);
      profiling.parts.store->finish_writes();
      profiling.profiler.profile_everything();
      for (int loss = 0; loss < losses; ++loss) {
        (void)profiling.profiler.step(0, true);
        if (!profiling.profiler.free_memory()) qFatal("nothing was being measured");
        profiling.profiler.retry();
      }
      const int before = profiling.requests.steps_begun;
      (void)profiling.profiler.step(no_time_limit, true);
      std::vector<std::vector<double>> scores;
      for (const ProfileCell& cell : profiling.curves.cells[0]) scores.push_back(cell.scores);
      return std::pair(profiling.requests.steps_begun - before, scores);
    };
    const auto [steps, scores] = measured_after(0);
    QCOMPARE(scores.size(), std::size_t{7});
    int fewer = steps;  // seven forms: 16 at once, then 4, 2 and 1
    for (const int losses : {2, 3, 4}) {
      const auto [more, same] = measured_after(losses);
      QVERIFY2(more > fewer,
               qPrintable(QString("%1 steps after %2 losses, before %3").arg(more).arg(losses).arg(fewer)));
      QVERIFY(same == scores);
      fewer = more;
    }
    QCOMPARE(measured_after(5).first, fewer);
  }

  void whatIsBeingMeasuredIsGivenUp() {
    for (const bool scope : {true, false}) {
      Profiling profiling(1);
      profiling.profiler.profile_everything();
      (void)profiling.profiler.step(0, true);
      scope ? profiling.profiler.use_scope(profiling.scope) : profiling.profiler.stop();
      QVERIFY(!profiling.profiler.free_memory());
      QCOMPARE(profiling.profiler.wanted(false), scope);  // a stop ends the request, too
    }
  }

  // It is measured on the questions that were asked, for this session alone.
  void aContextThatDriftedIsMeasuredAgain() {
    Profiling profiling(1);
    compute_original(profiling.parts, 0, true);
    profiling.parts.store->finish_writes();
    (void)profiling.profile_everything();
    QVERIFY(!profiling.profiler.settles());
    profiling.let_drift(0);
    QCOMPARE(profiling.drift.waiting().size(), std::size_t{1});
    QVERIFY(!profiling.profiler.settles());  // no run
    profiling.begin_run();
    QVERIFY(profiling.profiler.settles() && profiling.profiler.wanted(true));
    QVERIFY(!profiling.profiler.wanted(false));
    QCOMPARE(profiling.profiler.step(no_time_limit, true).value(), profiling.parts.catalog->state(0).key);
    const auto told = profiling.parts.sink.all<events::ContextProfiled>();
    QVERIFY(told.back().after_drift && !told.back().from_store && told.back().seconds > 0);
    QVERIFY(profiling.drift.waiting().empty());
    QCOMPARE(profiling.counters.so_far().reprofiles, std::uint64_t{1});
    QVERIFY(profiling.counters.so_far().reprofiling_seconds > 0);
    QCOMPARE(profiling.store.profiles_saved, 1);
    QVERIFY(!profiling.profiler.wanted(true));
    QCOMPARE(profiling.curves.cells[0][0].point.n, 1);
    QCOMPARE(profiling.curves.first_cells(0)[0].point.n, 2);
    profiling.profiler.restore_first_curves();
    QCOMPARE(profiling.curves.cells[0][0].point.n, 2);
    QCOMPARE(profiling.curves.cells[0][1].point.quality, 1.0);
  }

  // From when the curve is in use, until the first one is again.
  void questionsOfANewCurveAreMarked_data() {
    QTest::addColumn<bool>("scope");  // what ends its use
    QTest::newRow("the first curves are restored") << false;
    QTest::newRow("another scope") << true;
  }
  void questionsOfANewCurveAreMarked() {
    QFETCH(bool, scope);
    Profiling profiling(2);
    for (const std::size_t context : {0, 1}) compute_original(profiling.parts, context, true);
    profiling.parts.store->finish_writes();
    (void)profiling.profile_everything();
    const auto marked = [&profiling](std::size_t context) {
      std::vector<std::size_t> found;
      const auto& questions = profiling.parts.catalog->details(context).questions;
      for (std::size_t q = 0; q < questions.size(); ++q)
        if (questions[q].in_profile) found.push_back(q);
      return found;
    };
    profiling.begin_run();
    profiling.let_drift(0);
    QVERIFY(!profiling.drift.asked.empty());
    (void)profiling.profiler.step(0, true);
    QVERIFY(profiling.drift.waiting().size() == 1 && marked(0).empty());  // it has begun
    (void)profiling.profiler.step(no_time_limit, true);
    QVERIFY(profiling.drift.waiting().empty());
    QVERIFY(marked(0) == profiling.drift.asked && marked(1).empty());
    scope ? profiling.profiler.use_scope(profiling.scope) : profiling.profiler.restore_first_curves();
    QVERIFY(marked(0).empty());
  }

  void whatIsMeasuredAgainIsGivenUpWhereTheFirstCurvesComeBack() {
    Profiling profiling(1);
    compute_original(profiling.parts, 0, true);
    profiling.parts.store->finish_writes();
    (void)profiling.profile_everything();
    profiling.begin_run();
    profiling.let_drift(0);
    (void)profiling.profiler.step(0, true);
    profiling.profiler.restore_first_curves();
    QVERIFY(!profiling.profiler.free_memory());
    Profiling first_time(1);
    first_time.profiler.profile_everything();
    (void)first_time.profiler.step(0, true);
    first_time.profiler.restore_first_curves();
    QVERIFY(first_time.profiler.free_memory());  // a first curve continues
  }

  void withoutReprofilingADriftedContextIsLeftAlone() {
    Profiling profiling(1);
    compute_original(profiling.parts, 0, true);
    profiling.parts.store->finish_writes();
    (void)profiling.profile_everything();
    profiling.begin_run();
    profiling.let_drift(0);
    profiling.drift.enabled = false;
    QVERIFY(!profiling.profiler.settles() && !profiling.profiler.wanted(true));
    profiling.drift.enabled = true;
    profiling.parts.catalog->state(0).archived = false;
    QVERIFY(!profiling.profiler.settles());
  }
};

KV_TEST_GUILESS_MAIN(QualityProfilerTest)

}  // namespace quality_profiler_test

#include "quality_profiler_test.moc"
