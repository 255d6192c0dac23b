// links: core_quality tiers
// The part of the engine that finds curves which hold no longer, without requests and without profiling.
#include "core/quality/drift_monitor.h"

#include <QtTest>

#include "tests/support/engine_parts.h"
#include "tests/support/test_program.h"

namespace drift_monitor_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr double whole = 1.0, half = 0.8;  // what the curve says of "none" and of knorm with a half removed

/// Every context has the same measured curve.
struct OneCurve final : LastCurves {
  explicit OneCurve(Catalog& of) : catalog(of) {}
  void use(std::size_t context) override {
    ContextProfile measured;
    for (const auto& [method, removed, quality] : {std::tuple("none", 0.0, whole), std::tuple("knorm", 0.5, half)})
      measured.points.push_back({.method = method,
                                 .removed_fraction = removed,
                                 .quality = quality,
                                 .quality_low = quality - 0.1,
                                 .quality_high = quality + 0.1,
                                 .n = 4,
                                 .expected_quality = quality - 0.05,
                                 .expected_low = quality - 0.2});
    catalog.state(context).profile = std::make_shared<const ContextProfile>(std::move(measured));
    catalog.mark_changed();
    used.push_back(context);
  }
  Catalog& catalog;
  std::vector<std::size_t> used;
};

struct Watched {
  explicit Watched(bool frozen = false)
      : parts(small_workload(2, 8, 3)), curves(*parts.catalog), drift(parts.services(), curves, counters, frozen) {
    for (const std::size_t context : {0, 1}) curves.use(context);
    curves.used.clear();
    drift.use_rule({.reprofile = true, .when = ReprofileRule::relative(0.3), .quality_metric = "token_f1"});
    drift.forget_answers();
    parts.catalog->mark_published();
  }
  static RequestRecord answer(const std::string& method, double removed, double quality) {
    RequestRecord record;
    record.method = method;
    record.removed_fraction = removed;
    record.quality["token_f1"] = quality;
    return record;
  }
  /// So many answers to different questions; true when one of them changed the curve.
  bool answers(int count, const RequestRecord& record, std::size_t context = 0, std::size_t entry = 0) {
    bool changed = false;
    for (int i = 0; i < count; ++i)
      changed = drift.note_answer(record, record, context, static_cast<std::size_t>(i % 2), entry) || changed;
    return changed;
  }
  const ProfilePoint& point(const std::string& method, std::size_t context = 0) const {
    const auto& points = parts.catalog->state(context).profile->points;
    return *std::ranges::find(points, method, &ProfilePoint::method);
  }
  std::size_t found() const { return parts.sink.count<events::DriftDetected>(); }

  EngineParts parts;
  OneCurve curves;
  RunCounters counters;
  DriftMonitor drift;
};

const auto bad = Watched::answer("knorm", 0.5, 0.2);  // a quarter of what the curve says

class DriftMonitorTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void answersThatFallShortAreFoundOnce() {
    Watched watched;
    QVERIFY(!watched.answers(4, bad));
    QVERIFY(watched.found() == 0 && watched.drift.waiting().empty());
    QVERIFY(watched.answers(1, bad));
    const auto findings = watched.parts.sink.all<events::DriftDetected>();
    QCOMPARE(findings.size(), std::size_t{1});
    QCOMPARE(findings[0].context, watched.parts.catalog->state(0).key);
    QVERIFY(std::abs(findings[0].achieved_quality - 0.2) < 1e-9);
    QVERIFY(std::abs(findings[0].profiled_quality - half) < 1e-9);
    QCOMPARE(findings[0].answers, std::uint64_t{5});
    QCOMPARE(findings[0].questions, std::uint64_t{2});
    QCOMPARE(watched.counters.so_far().drifts, std::uint64_t{1});
    QCOMPARE(watched.drift.waiting().size(), std::size_t{1});
    QCOMPARE(watched.drift.questions(0).size(), std::size_t{2});
    QVERIFY(!watched.answers(20, bad));  // it waits already
    QCOMPARE(watched.found(), std::size_t{1});
  }

  // Until it is measured again every compressed form has lost the share that was lost; the original answers as before.
  void theShareThatWasLostIsAssumedOfEveryCompressedForm() {
    Watched watched;
    const double expected = watched.point("knorm").expected_quality;
    QVERIFY(expected > 0);
    QVERIFY(watched.answers(5, bad));
    QVERIFY(std::abs(watched.point("knorm").quality - half * 0.25) < 1e-9);
    QVERIFY(std::abs(watched.point("knorm").quality_low - (half - 0.1) * 0.25) < 1e-9);
    QVERIFY(std::abs(watched.point("knorm").quality_high - (half + 0.1) * 0.25) < 1e-9);
    QVERIFY(std::abs(watched.point("knorm").expected_quality - expected * 0.25) < 1e-9);
    QVERIFY(std::abs(watched.point("knorm").lower_bound() - (half - 0.2) * 0.25) < 1e-9);
    QCOMPARE(watched.point("none").quality, whole);
    QCOMPARE(watched.point("knorm", 1).quality, half);  // of the other context
    QVERIFY(watched.parts.catalog->changed());
    const auto told = watched.parts.sink.all<events::ContextProfiled>();
    QCOMPARE(told.size(), std::size_t{1});
    QVERIFY(told[0].after_drift && !told[0].from_store);
    watched.drift.drop_assumptions();
    QVERIFY((watched.curves.used == std::vector<std::size_t>{0}));
    QCOMPARE(watched.point("knorm").quality, half);
    QCOMPARE(watched.drift.waiting().size(), std::size_t{1});
  }

  void whatTheOriginalAnswersWorseIsFoundAndChangesNothing() {
    Watched watched;
    QVERIFY(!watched.answers(5, Watched::answer("none", 0, 0.2)));
    QCOMPARE(watched.found(), std::size_t{1});
    QCOMPARE(watched.drift.waiting().size(), std::size_t{1});
    QCOMPARE(watched.point("knorm").quality, half);
    QVERIFY(!watched.parts.catalog->changed());
    QCOMPARE(watched.parts.sink.count<events::ContextProfiled>(), std::size_t{0});
  }

  void aPrefixThatWasCompressedForAnotherContextSaysNothing() {
    Watched watched;
    QVERIFY(!watched.answers(9, bad, 0, 1));
    QCOMPARE(watched.found(), std::size_t{0});
    (void)watched.answers(5, Watched::answer("none", 0, 0.2), 0, 1);  // uncompressed it is its own
    QCOMPARE(watched.found(), std::size_t{1});
  }

  void whatHasNoPointToBeHeldAgainstSaysNothing() {
    Watched watched;
    RequestRecord unscored = bad;
    unscored.quality = {{"rouge_l", 0.1}};
    (void)watched.answers(9, unscored);
    (void)watched.answers(9, Watched::answer("knorm", 0.25, 0.2));
    (void)watched.answers(9, Watched::answer("keydiff", 0.5, 0.2));
    watched.parts.catalog->state(1).profile = nullptr;
    (void)watched.answers(9, bad, 1, 1);
    QCOMPARE(watched.found(), std::size_t{0});
    watched.drift.use_rule({.reprofile = false, .when = ReprofileRule::relative(0.3), .quality_metric = "token_f1"});
    QVERIFY(!watched.drift.reprofiles());
    (void)watched.answers(9, bad);
    QCOMPARE(watched.found(), std::size_t{0});
    watched.drift.use_rule({.reprofile = true, .when = ReprofileRule::relative(0.3), .quality_metric = "rouge_l"});
    (void)watched.answers(5, unscored);
    QCOMPARE(watched.found(), std::size_t{1});
  }

  // Re-profiling takes its questions from here, so that one is in no profile before its answer was scored.
  void onlyAQuestionWhoseAnswerWasScoredMayEnterAProfile() {
    Watched watched;
    RequestRecord unscored = bad;
    unscored.quality.clear();
    (void)watched.drift.note_answer(unscored, unscored, 0, 1, 0);
    QVERIFY(watched.drift.questions(0).empty());
    (void)watched.drift.note_answer(bad, bad, 0, 0, 0);
    QVERIFY((watched.drift.questions(0) == std::vector<std::size_t>{0}));
    (void)watched.drift.note_answer(bad, bad, 0, 1, 0);
    QVERIFY((watched.drift.questions(0) == std::vector<std::size_t>{0, 1}));
  }

  void howFarIsTooFarIsTheRules() {
    Watched watched;
    watched.drift.use_rule({.reprofile = true, .when = ReprofileRule::relative(0.9), .quality_metric = "token_f1"});
    (void)watched.answers(9, bad);
    QCOMPARE(watched.found(), std::size_t{0});
    watched.drift.use_rule({.reprofile = true, .when = ReprofileRule::relative(0.7), .quality_metric = "token_f1"});
    (void)watched.answers(1, bad);
    QCOMPARE(watched.found(), std::size_t{1});
  }

  void aQualityOrADifferenceMayBeTheRule() {
    Watched watched;
    const auto use = [&watched](const ReprofileRule& when) {
      watched.drift.use_rule({.reprofile = true, .when = when, .quality_metric = "token_f1"});
    };
    const auto fair = Watched::answer("knorm", 0.5, 0.5);  // of 0.8 profiled
    use(ReprofileRule::below(0.4375));
    (void)watched.answers(9, fair);
    use(ReprofileRule::absolute(0.3125));
    (void)watched.answers(9, fair);
    QCOMPARE(watched.found(), std::size_t{0});
    use(ReprofileRule::absolute(0.25));
    QVERIFY(watched.answers(1, fair));
    QCOMPARE(watched.found(), std::size_t{1});
    QVERIFY(std::abs(watched.point("knorm").quality - 0.5) < 1e-9);
    watched.drift.settle(0);
    watched.curves.use(0);
    use(ReprofileRule::below(0.5625));
    QVERIFY(watched.answers(5, fair));
    QCOMPARE(watched.found(), std::size_t{2});
  }

  // A fixed quality that the profile never promised: the context waits, and there is no loss to assume.
  void whatWasNeverPromisedIsNotLost() {
    Watched watched;
    watched.drift.use_rule({.reprofile = true, .when = ReprofileRule::below(0.9), .quality_metric = "token_f1"});
    QVERIFY(!watched.answers(5, Watched::answer("knorm", 0.5, 0.85)));
    QCOMPARE(watched.found(), std::size_t{1});
    QCOMPARE(watched.drift.waiting().size(), std::size_t{1});
    QCOMPARE(watched.point("knorm").quality, half);
    QCOMPARE(watched.parts.sink.count<events::ContextProfiled>(), std::size_t{0});
  }

  void withoutAssumptionTheCurveStaysUntilItIsMeasured() {
    Watched watched;
    watched.drift.use_rule({.reprofile = true, .assume_loss = false, .quality_metric = "token_f1"});
    QVERIFY(!watched.answers(9, bad));
    QCOMPARE(watched.found(), std::size_t{1});
    QCOMPARE(watched.drift.waiting().size(), std::size_t{1});
    QCOMPARE(watched.point("knorm").quality, half);
    QVERIFY(!watched.parts.catalog->changed());
    QCOMPARE(watched.parts.sink.count<events::ContextProfiled>(), std::size_t{0});
  }

  void assumptionsEndWhereTheyAreTurnedOff() {
    Watched watched;
    QVERIFY(watched.answers(5, bad));
    QVERIFY(std::abs(watched.point("knorm").quality - half * 0.25) < 1e-9);
    watched.drift.use_rule({.reprofile = true, .assume_loss = true, .quality_metric = "token_f1"});
    QVERIFY(watched.curves.used.empty());  // nothing changed
    watched.drift.use_rule({.reprofile = true, .assume_loss = false, .quality_metric = "token_f1"});
    QCOMPARE(watched.point("knorm").quality, half);
    QCOMPARE(watched.drift.waiting().size(), std::size_t{1});
    const auto told = watched.parts.sink.all<events::ContextProfiled>();
    QCOMPARE(told.size(), std::size_t{2});
    QVERIFY(told[1].after_drift && told[1].seconds == 0);
    const auto& points = told[1].profile.points;
    QCOMPARE(std::ranges::find(points, "knorm", &ProfilePoint::method)->quality, half);
  }

  void whatWasAnsweredBeforeANewCurveOrRunIsForgotten() {
    Watched watched;
    QVERIFY(watched.answers(5, bad));
    watched.drift.settle(0);
    QVERIFY(watched.drift.waiting().empty());
    watched.curves.use(0);
    QVERIFY(!watched.answers(4, bad));
    watched.drift.forget_answers();
    QVERIFY(!watched.answers(4, bad));
    QVERIFY(watched.answers(1, bad));
  }

  // Of 100 busy seconds the twentieth is five; one more step must fit as well.
  void reprofilingHasItsShareOfTheTime() {
    Watched watched;
    watched.counters.note_serving(60);
    watched.counters.placing_seconds() += 20;
    watched.counters.note_profiling(15, false);
    QVERIFY(watched.drift.may_reprofile());
    watched.counters.note_profiling(4.99, true);
    QVERIFY(watched.drift.may_reprofile());
    watched.counters.note_profile_step(0.5);
    QVERIFY(watched.drift.may_reprofile());  // of an unknown length: no prefill has been seen
    watched.counters.note_prefill_step(0.25);
    QVERIFY(!watched.drift.may_reprofile());
    watched.counters.note_serving(5);
    QVERIFY(watched.drift.may_reprofile());
    watched.counters.note_profiling(1, true);
    QVERIFY(!watched.drift.may_reprofile());
    Watched frozen(true);
    frozen.counters.note_profiling(1000, true);
    QVERIFY(frozen.drift.may_reprofile());  // no decision may hang on how long it takes
  }

  // Of 100 busy seconds with 20 of them re-profiling.
  void theShareIsASetting() {
    Watched watched;
    const auto use = [](DriftMonitor& drift, double share) {
      drift.use_rule({.reprofile = true, .share = share, .quality_metric = "token_f1"});
    };
    watched.counters.note_serving(80);
    watched.counters.note_profiling(20, true);
    for (const auto& [share, may] : {std::pair(0.05, false), std::pair(0.1875, false), std::pair(0.25, true)}) {
      use(watched.drift, share);
      QCOMPARE(watched.drift.may_reprofile(), may);
      QVERIFY(watched.drift.reprofiles());
    }
    // All of it: also where nothing else is done, and whatever a step takes.
    Watched idle;
    idle.counters.note_profiling(20, true);
    QVERIFY(!idle.drift.may_reprofile());
    use(idle.drift, 1);
    QVERIFY(idle.drift.may_reprofile());
    idle.counters.note_profile_step(5);
    idle.counters.note_prefill_step(5);
    QVERIFY(idle.drift.may_reprofile());
    // None of it: drift is found, and no curve is measured; a frozen run does not wait for one.
    for (const bool is_frozen : {false, true}) {
      Watched never(is_frozen);
      never.counters.note_serving(1e6);
      QVERIFY(never.drift.reprofiles());
      use(never.drift, 0);
      QVERIFY(!never.drift.reprofiles());
      QVERIFY(is_frozen || !never.drift.may_reprofile());
      (void)never.answers(5, bad);
      QCOMPARE(never.found(), std::size_t{1});
    }
  }
};

KV_TEST_GUILESS_MAIN(DriftMonitorTest)

}  // namespace drift_monitor_test

#include "drift_monitor_test.moc"
