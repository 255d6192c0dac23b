// links: core_quality tiers
// The part of the engine that measures quality curves, beside requests that are the test's to say.
#include "core/quality/quality_profiler.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/memory_stores.h"
#include "tests/support/recorded_journal.h"
#include "tests/support/test_program.h"

namespace quality_profiler_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr double no_limit = 1e18;

struct StubRequests final : RequestsBesideProfiling {
  bool any() const override { return in_flight; }
  bool leave_time() const override { return leaves_time; }
  bool one_could_begin() const override { return could_begin; }
  bool come_at_a_rate() const override { return at_a_rate; }
  void profile_step_begins() override { ++steps_begun; }
  void profile_step_ended(std::int64_t began_ns, std::int64_t ended_ns) override {
    in_order = in_order && began_ns < ended_ns && began_ns > last_ended_ns;
    last_ended_ns = ended_ns;
    ++steps_ended;
  }
  bool in_flight = false, leaves_time = true, could_begin = false, at_a_rate = false, in_order = true;
  std::int64_t last_ended_ns = 0;
  int steps_begun = 0, steps_ended = 0;
};

/// Plans see all that was measured of a context. Decode options are not among the candidates.
struct KeptCurves final : MeasuredCurves {
  explicit KeptCurves(Catalog& of) : catalog(of) {}
  const CurveCandidates& candidates() const override { return wanted; }
  bool complete(std::size_t context) const override { return curve_complete(context); }
  bool curve_complete(std::size_t context) const override {
    const auto found = cells.find(context);
    return found != cells.end() && found->second.size() > wanted.methods.size() * wanted.removed_fractions.size();
  }
  std::size_t complete_contexts() const override {
    std::size_t count = 0;
    for (std::size_t c = 0; c < catalog.size(); ++c) count += complete(c) ? 1 : 0;
    return count;
  }
  std::vector<std::string> missing_options(std::size_t) const override { return {}; }

  const std::vector<ProfileCell>& first_cells(std::size_t context) override {
    return first.contains(context) ? first[context] : cells[context];
  }
  void replace(std::size_t context, std::vector<ProfileCell> measured) override {
    cells[context] = std::move(measured);
  }
  void replace_after_drift(std::size_t context, std::vector<ProfileCell> measured) override {
    first.try_emplace(context, cells[context]);
    cells[context] = std::move(measured);
  }
  void replace_options(std::size_t, std::vector<DecodeOption>) override { qFatal("no option was to be measured"); }
  Status save(const ProfileScope& scope, ProfileStore& store, std::size_t context, bool curve) override {
    return curve ? store.save_profile(scope, cells[context]) : Status();
  }

  void pool() override { ++pools; }
  void pool(std::size_t context) override { pooled_alone.push_back(context); }
  std::size_t refresh(std::size_t from, std::size_t most) override {
    refreshed.emplace_back(from, most);
    return std::min(from + most, catalog.size());
  }
  void use(std::size_t context) override {
    ContextProfile profile;
    for (const ProfileCell& cell : cells[context]) profile.points.push_back(cell.point);
    catalog.state(context).profile = std::make_shared<const ContextProfile>(std::move(profile));
    catalog.mark_changed();
  }
  void use_all() override {
    ++uses_of_all;
    for (const auto& [context, ignored] : cells) use(context);
  }
  void restore_first() override {
    for (const auto& [context, before] : std::exchange(first, {})) {
      cells[context] = before;
      use(context);
    }
  }

  Catalog& catalog;
  CurveCandidates wanted{{"knorm"}, {0.5}};
  std::map<std::size_t, std::vector<ProfileCell>> cells, first;
  int pools = 0, uses_of_all = 0;
  std::vector<std::size_t> pooled_alone;
  std::vector<std::pair<std::size_t, std::size_t>> refreshed;  // from, most
};

/// Contexts drift when a test says so, and there is always time to measure them again.
struct ToldDrift final : DriftedContexts {
  bool reprofiles() const override { return enabled; }
  const std::deque<std::size_t>& waiting() const override { return contexts; }
  std::vector<std::size_t> questions(std::size_t) const override { return asked; }
  bool may_reprofile() const override { return true; }
  void settle(std::size_t context) override { std::erase(contexts, context); }
  bool enabled = true;
  std::deque<std::size_t> contexts;
  std::vector<std::size_t> asked;
};

struct LearnedReferences final : ReferenceAnswers {
  void learn(std::size_t context, const std::vector<double>& chance_scores) override {
    learned.emplace_back(context, chance_scores.size());
  }
  Status save(const ProfileScope& scope) override {
    saved.push_back(scope.quality_metric);
    return {};
  }
  std::vector<std::pair<std::size_t, std::size_t>> learned;  // context, chance scores
  std::vector<std::string> saved;
};

/// Batches as a test says them, each until it is measured.
struct ToldSchedule final : CellSchedule {
  bool is_on() const override { return on; }
  bool ready(const MayMeasure&, bool aside) override {
    asked_aside = aside;
    return !plans;
  }
  void catch_up() override { ++catches_up; }
  bool take_renewed() override { return std::exchange(renewed, false); }
  const ScheduledBatch* next(const std::function<bool(std::size_t)>& may_measure) override {
    const auto batch = std::ranges::find_if(batches, may_measure, &ScheduledBatch::context);
    return batch == batches.end() ? nullptr : &*batch;
  }
  Progress progress() const override { return {answers, batches.size()}; }
  void note(std::size_t more, double seconds) override {
    answers += more;
    took_time = took_time && seconds > 0;
    if (!batches.empty() && !keeps) batches.pop_front();
  }
  void leave_out(const std::string& method) override { left_out.push_back(method); }
  void retry() override { ++retries; }
  std::deque<ScheduledBatch> batches;
  std::uint64_t answers = 0;
  std::vector<std::string> left_out;
  bool on = false, keeps = false, took_time = true;
  bool plans = false, renewed = false, asked_aside = false;
  int retries = 0, catches_up = 0;
};

struct Profiling {
  explicit Profiling(int contexts = 2, bool database = true)
      : parts(small_workload(contexts, 8, 3, 2), with_pool(16 << 20)),
        curves(*parts.catalog),
        progress(parts.events),
        profiler(parts.services(), parts.serving_clock, {curves, drift, references, meter, &schedule}, requests,
                 {journal, counters}, progress, {.store = database ? &store : nullptr, .max_answer_tokens = 12}) {
    profiler.use_scope(scope);
  }
  void begin_run() { journal.runs = true; }
  /// Profiles until nothing of everything is left; returns how many turns that took.
  int profile_everything() {
    profiler.profile_everything();
    int turns = 0;
    for (; !profiler.finish_everything(); ++turns) {
      if (turns > 1000) qFatal("profiling does not end");
      (void)profiler.step(no_limit, true);
    }
    return turns;
  }
  /// No cache can be made while these are held.
  void hold_all_blocks() {
    for (BlockPool& pool = *parts.runtime->pool; pool.free_blocks() > 0;) held.push_back(pool.allocate().value());
  }
  void give_blocks_back() {
    for (const BlockId block : std::exchange(held, {})) parts.runtime->pool->release(block);
  }
  std::size_t profiled() const { return parts.sink.count<events::ContextProfiled>(); }
  std::vector<std::string> errors() const {
    std::vector<std::string> texts;
    for (const auto& message : parts.sink.all<events::Message>())
      if (message.level == "error") texts.push_back(message.text);
    return texts;
  }
  /// Its answers have fallen short of a curve that promised everything: it waits to be measured again.
  void let_drift(std::size_t context) {
    for (ProfileCell& cell : curves.cells[context]) cell.point.quality = 1;
    curves.use(context);
    const auto& questions = parts.catalog->details(context).questions;
    const auto asked = std::ranges::find(questions, true, &CatalogQuestion::held_out) - questions.begin();
    drift.contexts.push_back(context);
    drift.asked = {static_cast<std::size_t>(asked)};
  }

  ProfileScope scope{.model = {1, 2}, .workload = {3, 4}, .quality_metric = "token_f1"};
  EngineParts parts;
  RecordedJournal journal;
  RunCounters counters;
  MemoryProfileStore store;
  QualityMeter meter;
  KeptCurves curves;
  ToldDrift drift;
  LearnedReferences references;
  ToldSchedule schedule;
  ProgressReporter progress;
  StubRequests requests;
  QualityProfiler profiler;
  std::vector<BlockId> held;
};

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
    QVERIFY(!profiling.profiler.step(no_limit, true) && profiling.profiled() == 0);
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
    QVERIFY(!profiling.profiler.step(no_limit, true) && profiling.requests.steps_begun == 0);
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
    QCOMPARE(profiling.profiler.step(no_limit, true).value(), profiling.parts.catalog->state(0).key);
    QVERIFY(profiling.curves.refreshed.empty());
    profiling.schedule.renewed = true;
    QVERIFY(profiling.profiler.wanted(true));
    QVERIFY(!profiling.profiler.step(no_limit, true) && !profiling.profiler.step(no_limit, true));
    QVERIFY(profiling.profiler.wanted(true));
    QCOMPARE(profiling.profiler.step(no_limit, true).value(), profiling.parts.catalog->state(0).key);
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
    const auto first = profiling.profiler.step(no_limit, true);
    QCOMPARE(first.value(), profiling.parts.catalog->state(0).key);
    QVERIFY(profiling.parts.catalog->state(0).profile != nullptr);
    QVERIFY(profiling.parts.catalog->changed());
    QVERIFY(profiling.journal.reasons.empty());
    QCOMPARE(profiling.curves.uses_of_all, 0);
    QVERIFY(profiling.profiler.wanted(true));
    QCOMPARE(profiling.profiler.step(no_limit, true).value(), profiling.parts.catalog->state(1).key);
    QVERIFY((profiling.journal.reasons == std::vector<std::string>{"profiles"}));  // none is left
    QCOMPARE(profiling.curves.uses_of_all, 1);
    QCOMPARE(profiling.curves.pools, 2);
    QVERIFY(!profiling.profiler.wanted(true) && !profiling.profiler.settles());
    QVERIFY(!profiling.profiler.step(no_limit, true));
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
    (void)profiling.profiler.step(no_limit, false);
    QCOMPARE(profiling.requests.steps_begun, 2);
    QVERIFY(profiling.errors().empty());
  }

  // Requests that could begin end a turn of a run, but not while it is paused: none begins then.
  void whereARequestCouldBeginATurnEnds() {
    Profiling profiling;
    profiling.profiler.profile_everything();
    profiling.requests.could_begin = true;
    (void)profiling.profiler.step(no_limit, true);
    QCOMPARE(profiling.profiled(), std::size_t{1});  // no run: no request begins
    profiling.begin_run();
    const int before = profiling.requests.steps_begun;
    (void)profiling.profiler.step(no_limit, true);
    QCOMPARE(profiling.requests.steps_begun, before + 1);
    (void)profiling.profiler.step(no_limit, false);
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
    (void)profiling.profiler.step(no_limit, true);
    QCOMPARE(profiling.requests.steps_begun, tried);
    profiling.profiler.retry_failed();
    profiling.profiler.recheck_curves();
    QVERIFY(profiling.profiler.wanted(true));
    (void)profiling.profiler.step(no_limit, true);
    QCOMPARE(profiling.profiled(), std::size_t{1});
    QCOMPARE(profiling.profile_everything(), 1);
    QCOMPARE(profiling.profiled(), std::size_t{2});
  }

  void whatAStoreDoesNotTakeIsSaid() {
    Profiling profiling(1);
    profiling.store.broken = {"save_profile"};
    profiling.profiler.profile_everything();
    (void)profiling.profiler.step(no_limit, true);
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
    (void)profiling.profiler.step(no_limit, true);
    QVERIFY(profiling.errors().empty());
    QVERIFY(!profiling.profiler.may_step() && !profiling.profiler.finish_everything());
    profiling.give_blocks_back();
    QVERIFY(!profiling.profiler.may_step());
    profiling.profiler.retry();
    QVERIFY(profiling.profiler.may_step());
    profiling.requests.leaves_time = false;
    QVERIFY(!profiling.profiler.may_step());
    profiling.requests.leaves_time = true;
    (void)profiling.profiler.step(no_limit, true);
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
    QCOMPARE(profiling.profiler.step(no_limit, true).value(), profiling.parts.catalog->state(0).key);
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
    (void)profiling.profiler.step(no_limit, true);
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
