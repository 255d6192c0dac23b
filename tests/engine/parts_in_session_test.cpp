// links: core_engine tiers
// What two parts of a session do together, where the test of each has a stand-in for the other: tiers and their fits,
// curves, drift and profiling, the record of a run.
#include <QtTest>

#include "tests/support/session_parts.h"
#include "tests/support/test_program.h"

namespace parts_in_session_test {

using namespace kvantage;
using namespace kvantage::test;

struct Together : WholeParts {
  void begin_run() {
    parts.recorder.open("run", Json::object());
    parts.recorder.begin();
  }
  void poll_tiers() { parts.tiers.poll(settings.tiers); }
  /// Of the snapshots that the record has.
  std::vector<std::string> reasons() const {
    std::vector<std::string> found;
    for (const auto& taken : world.sink.all<events::SnapshotTaken>()) found.push_back(taken.reason);
    return found;
  }
  std::size_t fits() const { return world.sink.count<events::TierFitted>(); }
};

/// The curve of a context: "none", and knorm with a half removed.
std::vector<ProfileCell> curve_of(const ContextFacts& context, double uncompressed, double compressed) {
  std::vector<ProfileCell> cells;
  for (const auto& [method, removed, quality] :
       {std::tuple("none", 0.0, uncompressed), std::tuple("knorm", 0.5, compressed)})
    cells.push_back({.context = context.key,
                     .context_id = context.id,
                     .family = context.family,
                     .point = {.method = method,
                               .removed_fraction = removed,
                               .quality = quality,
                               .quality_low = quality - 0.1,
                               .quality_high = quality + 0.1,
                               .n = 4},
                     .scores = {}});
  return cells;
}

/// Both contexts have been profiled.
struct Curved : Together {
  Curved() {
    parts.drift.forget_answers();
    for (const std::size_t context : {0, 1}) parts.curves.replace(context, curve_of(state(context), 1, 0.8));
    parts.curves.pool();
    parts.curves.use_all();
    parts.profiler.use_scope({.model = {1, 2}, .workload = {3, 4}, .quality_metric = settings.quality_metric});
  }
  const ProfilePoint& compressed(std::size_t context) {
    return *std::ranges::find(state(context).profile->points, "knorm", &ProfilePoint::method);
  }
  /// So many answers about the first context; true when one of them changed its curve.
  bool answers(int count, const std::string& method, double removed, double quality) {
    RequestRecord record;
    record.method = method;
    record.removed_fraction = removed;
    record.quality[settings.quality_metric] = quality;
    bool changed = false;
    for (int i = 0; i < count; ++i)
      changed = parts.drift.note_answer(record, record, 0, static_cast<std::size_t>(i % 2), 0) || changed;
    return changed;
  }
};

using Reasons = std::vector<std::string>;

class PartsInSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aTierThatIsBackIsTimedOnce() {
    Together session;
    for (const bool away : {true, false, true, false}) {
      session.world.dram->away = away;
      for (int i = 0; i < 3; ++i) session.poll_tiers();
      QCOMPARE(session.world.store->tiers().fit(0).samples() > 0, session.fits() > 0);
    }
    QCOMPARE(session.fits(), std::size_t{1});
  }

  void theArchiveIsNotTimed() {
    Together session;
    for (const bool away : {true, false}) {
      session.world.archive->away = away;
      session.poll_tiers();
    }
    QCOMPARE(session.fits(), std::size_t{0});
  }

  void whatOthersStoredIsRecorded() {
    Together session;
    EngineParts& world = session.world;
    store_context(world, 0, {.tier = 0});
    const auto theirs = world.dram->last_write;
    must(world.store->commit(
        {.context = session.state(0).key, .kind = ActionKind::evict, .from = {}, .to = {}, .reason = {}}));
    session.begin_run();
    session.poll_tiers();
    QVERIFY((session.reasons() == Reasons{"start"}));
    world.dram->write_by_others(theirs);
    for (int i = 0; i < 2; ++i) session.poll_tiers();
    QVERIFY((session.reasons() == Reasons{"start", "shared tier"}));
    QCOMPARE(session.state(0).stored_bytes, theirs.info.bytes);
  }

  void originalsOfOthersAreRecorded() {
    Together session;
    EngineParts& world = session.world;
    compute_original(world, 0, true);
    world.store->finish_writes();
    const auto theirs = world.archive->last_write;
    must(world.archive->erase(theirs.info.key));
    world.catalog->state(0).archived = false;
    session.begin_run();
    world.archive->write_by_others(theirs);
    session.poll_tiers();
    QVERIFY((session.reasons() == Reasons{"start", "shared tier"}));
    QVERIFY(session.state(0).archived && !session.state(1).archived);
  }

  void curvesHaveTheChanceOfTheirQuestions() {
    Curved session;
    for (const std::size_t context : {0, 1}) {
      const ProfileChance chance = session.parts.quality.chance_on(context),
                          &shown = session.state(context).profile->chance;
      QVERIFY(shown.n > 0);
      QVERIFY(shown.n == chance.n && shown.mean == chance.mean && shown.low == chance.low && shown.high == chance.high);
    }
  }

  // What is expected of questions not asked yet falls with the rest, and is back with the measured curve.
  void aLossThatIsAssumedEndsWithTheMeasuredCurve() {
    Curved session;
    const double expected = session.compressed(0).expected_quality;
    QVERIFY(expected > 0);
    QVERIFY(session.answers(5, "knorm", 0.5, 0.2));
    QVERIFY(std::abs(session.compressed(0).quality - 0.2) < 1e-9);
    QVERIFY(std::abs(session.compressed(0).expected_quality - expected * 0.25) < 1e-9);
    session.parts.drift.drop_assumptions();
    QCOMPARE(session.compressed(0).quality, 0.8);
    QCOMPARE(session.compressed(0).expected_quality, expected);
    QCOMPARE(session.parts.drift.waiting().size(), std::size_t{1});
  }

  // It is measured on the questions that were asked, for this session alone.
  void aContextThatDriftedIsMeasuredAgain() {
    Curved session;
    compute_original(session.world, 0, true);
    session.world.store->finish_writes();
    session.begin_run();
    (void)session.answers(5, "none", 0, 0);
    session.parts.recorder.counters().note_serving(1e6);  // re-profiling gets a share of this
    QVERIFY(session.parts.profiler.settles());
    QCOMPARE(session.parts.profiler.step(1e18, false).value(), session.state(0).key);
    QVERIFY(session.parts.drift.waiting().empty() && !session.parts.profiler.settles());
    QVERIFY(session.world.sink.all<events::ContextProfiled>().back().after_drift);
    QCOMPARE(session.parts.recorder.counters().so_far().reprofiles, std::uint64_t{1});
    QCOMPARE(session.profiles.profiles_saved, 0);
    QCOMPARE(session.parts.curves.cells(0)[0].point.n, 2);
    QCOMPARE(session.parts.curves.first_cells(0)[0].point.n, 4);
    session.parts.profiler.restore_first_curves();
    QCOMPARE(session.parts.curves.cells(0)[0].point.n, 4);
    QCOMPARE(session.compressed(0).quality, 0.8);
  }

  // The setting reaches the profiler: a share of nothing measures nothing, not even where a frozen run would wait for
  // it; a share of everything measures although the engine did nothing else.
  void theShareOfReprofilingIsASetting() {
    Curved session;
    compute_original(session.world, 0, true);
    session.world.store->finish_writes();
    session.begin_run();
    session.settings.reprofile_share = 0;
    session.parts.use(session.settings);
    (void)session.answers(5, "none", 0, 0);
    session.parts.recorder.counters().note_serving(1e6);
    QCOMPARE(session.parts.drift.waiting().size(), std::size_t{1});
    QVERIFY(!session.parts.profiler.settles() && !session.parts.profiler.wanted(true));
    QVERIFY(!session.parts.profiler.step(1e18, false).has_value());
    QCOMPARE(session.parts.recorder.counters().so_far().reprofiles, std::uint64_t{0});
    session.parts.recorder.counters().reset();
    session.settings.reprofile_share = 1;
    session.parts.use(session.settings);
    QVERIFY(session.parts.profiler.wanted(true));
    QCOMPARE(session.parts.profiler.step(1e18, false).value(), session.state(0).key);
    QCOMPARE(session.parts.recorder.counters().so_far().reprofiles, std::uint64_t{1});
  }

  void ruleAndAssumptionAreSettings() {
    Curved session;
    session.settings.reprofile_when = ReprofileRule::absolute(0.625);
    session.parts.use(session.settings);
    QVERIFY(!session.answers(9, "knorm", 0.5, 0.2));  // 0.6 below its curve, three quarters of it
    QVERIFY(session.parts.drift.waiting().empty());
    session.settings.reprofile_when = ReprofileRule::below(0.25);
    session.settings.assume_loss = false;
    session.parts.use(session.settings);
    QVERIFY(!session.answers(1, "knorm", 0.5, 0.2));
    QCOMPARE(session.parts.drift.waiting().size(), std::size_t{1});
    QCOMPARE(session.compressed(0).quality, 0.8);
  }

  void firstCurvesAreStoredAndTheLastOfThemIsRecorded() {
    Together session;
    const ProfileScope scope{.model = {1, 2}, .workload = {3, 4}, .quality_metric = session.settings.quality_metric};
    session.parts.drift.forget_answers();
    session.parts.profiler.use_scope(scope);
    session.begin_run();
    for (const std::size_t context : {0, 1}) {
      compute_original(session.world, context, true);
      session.world.store->finish_writes();
      QCOMPARE(session.parts.profiler.step(1e18, false).value(), session.state(context).key);
      QVERIFY(session.state(context).profile->chance.n > 0);
    }
    QVERIFY((session.reasons() == Reasons{"start", "profiles"}));
    QCOMPARE(session.parts.curves.complete_contexts(), std::size_t{2});
    QCOMPARE(session.profiles.profiles.at(MemoryProfileStore::key_of(scope)).size(), std::size_t{4});
    QVERIFY(!session.profiles.values.empty());  // reference answers
  }
};

KV_TEST_GUILESS_MAIN(PartsInSessionTest)

}  // namespace parts_in_session_test

#include "parts_in_session_test.moc"
