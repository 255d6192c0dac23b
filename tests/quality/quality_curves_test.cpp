// links: core_quality tiers
// The part of the engine that keeps quality curves, without requests and without profiling.
#include "core/quality/quality_curves.h"

#include <QtTest>

#include <QTemporaryDir>
#include <map>
#include <vector>

#include "core/base/files.h"
#include "tests/support/engine_parts.h"
#include "tests/support/memory_stores.h"
#include "tests/support/test_program.h"

namespace quality_curves_test {

using namespace kvantage;
using namespace kvantage::test;

/// Knows the chance scores of every context.
struct KnownChance final : ChanceScores {
  ProfileChance chance_on(std::size_t context) override {
    asked.push_back(context);
    return {.mean = 0.25, .low = 0.125, .high = 0.5, .n = 3};
  }
  std::vector<std::size_t> asked;
};

struct Curves {
  explicit Curves(int contexts = 2) : parts(small_workload(contexts, 8, 3)), curves(parts.services(), chance) {
    curves.use_candidates({{"knorm", "kivi4"}, {0.3, 0.6}});
  }
  ProfileCell cell(std::size_t context, const std::string& method, double removed, double value) const {
    const ContextState& state = parts.catalog->state(context);
    return {.context = state.key,
            .context_id = state.id,
            .family = state.family,
            .point = {.method = method,
                      .removed_fraction = removed,
                      .quality = value,
                      .quality_low = value / 2,
                      .quality_high = value * 1.25,
                      .n = 8},
            .scores = {value}};
  }
  std::vector<ProfileCell> whole_curve(std::size_t context, double value = 0.5) const {
    return {cell(context, "none", 0, 1), cell(context, "knorm", 0.6, value), cell(context, "knorm", 0.3, value),
            cell(context, "kivi4", 0, value)};
  }
  const ProfilePoint* point(std::size_t context, const std::string& method, double removed) const {
    const auto& profile = parts.catalog->state(context).profile;
    if (profile == nullptr) return nullptr;
    for (const ProfilePoint& point : profile->points)
      if (point.method == method && point.removed_fraction == removed) return &point;
    return nullptr;
  }
  EngineParts parts;
  KnownChance chance;
  QualityCurves curves;
};

/// While it pools, curves are partial.
struct Pooling final : PooledCells {
  bool is_on = true;
  bool pools() const override { return is_on; }
  void learn(const std::map<std::size_t, std::vector<ProfileCell>>&) override {}
  void learn(std::size_t, const std::vector<ProfileCell>&) override {}
  void complete(std::size_t, std::vector<ProfilePoint>&) const override {}
};

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

class QualityCurvesTest : public QObject {
  Q_OBJECT

  static constexpr double not_known = -1;
  static ProfileScope scope() { return {.model = {1, 2}, .workload = {3, 4}, .quality_metric = "token_f1"}; }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // Methods that only code have one form, removed fraction 0; text that is no method has none.
  void aCurveIsCompleteOnceEveryCandidateWasMeasured() {
    Curves known;
    QVERIFY(!known.curves.complete(0));
    auto cells = known.whole_curve(0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      auto missing = cells;
      missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
      known.curves.replace(0, missing);
      QVERIFY(!known.curves.complete(0));
    }
    known.curves.replace(0, cells);
    QVERIFY(known.curves.complete(0) && !known.curves.complete(1));
    QCOMPARE(known.curves.complete_contexts(), std::size_t{1});
    known.curves.use_candidates({{"knorm", "kivi4", "none", "nosuch"}, {0.3, 0.6}});
    QVERIFY(known.curves.complete(0));
    known.curves.use_candidates({{"knorm"}, {0.3, 0.6, 0.9}});
    QVERIFY(!known.curves.complete(0));
    known.curves.use_candidates({{}, {0.9}});
    QVERIFY(known.curves.complete(0));
  }

  void plansSeeTheCandidatesInTheOrderOfTheDatabase() {
    Curves known;
    auto cells = known.whole_curve(0);
    cells.push_back(known.cell(0, "keydiff", 0.3, 0.5));
    cells.push_back(known.cell(0, "knorm", 0.9, 0.5));
    known.curves.replace(0, cells);
    known.curves.pool();
    QVERIFY(!known.parts.catalog->changed());
    known.curves.use(0);
    QVERIFY(known.parts.catalog->changed());
    std::vector<std::pair<std::string, double>> seen;
    for (const ProfilePoint& point : known.parts.catalog->state(0).profile->points)
      seen.emplace_back(point.method, point.removed_fraction);
    QVERIFY((seen ==
             std::vector<std::pair<std::string, double>>{{"kivi4", 0}, {"knorm", 0.3}, {"knorm", 0.6}, {"none", 0}}));
    QVERIFY(known.parts.catalog->state(1).profile == nullptr);
    known.curves.use_candidates({{"keydiff"}, {0.3}});
    known.curves.use_all();
    QCOMPARE(known.parts.catalog->state(0).profile->points.size(), std::size_t{2});
    QVERIFY(known.point(0, "keydiff", 0.3) != nullptr && known.point(0, "none", 0) != nullptr);
  }

  // A value a context, written when it changes; the list of an earlier version counts where there is none.
  void partialCurvesAreMarkedOneByOne() {
    const std::string list = "partial_curves/token_f1/" + scope().model.hex() + "/" + scope().workload.hex();
    Pooling pooling;
    MemoryProfileStore store;
    Curves known(4);
    known.curves.use_pooled(pooling);
    const auto mark = [&](std::size_t context) { return list + "/" + known.parts.catalog->state(context).id; };
    const auto complete = [&] {
      Curves loaded(4);
      std::vector<bool> made;
      if (!loaded.curves.load(scope(), &store, {})) return made;
      for (std::size_t context = 0; context < 4; ++context) made.push_back(loaded.curves.curve_complete(context));
      return made;
    };
    for (std::size_t context = 0; context < 3; ++context) {
      known.curves.replace(context, known.whole_curve(context));
      QVERIFY(known.curves.save(scope(), store, context, true));
      QCOMPARE(store.values.size(), context + 1);
      QVERIFY(store.values.at(mark(context)).get<bool>());
    }
    // Cells never come without their mark.
    store.broken = {"save_profile"};
    known.curves.replace(3, known.whole_curve(3));
    QVERIFY(!known.curves.save(scope(), store, 3, true));
    QVERIFY(store.values.at(mark(3)).get<bool>());
    store.broken.clear();
    QVERIFY(known.curves.save(scope(), store, 3, true));
    QVERIFY(complete() == std::vector<bool>({false, false, false, false}));
    // What is whole now is written once it is.
    pooling.is_on = false;
    known.curves.replace(1, known.whole_curve(1));
    store.broken = {"save_profile"};
    QVERIFY(!known.curves.save(scope(), store, 1, true));
    QVERIFY(store.values.at(mark(1)).get<bool>());
    store.broken.clear();
    QVERIFY(known.curves.save(scope(), store, 1, true));
    QVERIFY(!store.values.at(mark(1)).get<bool>());
    QVERIFY(complete() == std::vector<bool>({false, true, false, false}));
    // Nothing changed: no value is written.
    store.broken = {"save_value"};
    known.curves.replace(1, known.whole_curve(1));
    QVERIFY(known.curves.save(scope(), store, 1, true));
    store.broken.clear();
    // As an earlier version has left it.
    store.values = {{list, Json::array({known.parts.catalog->state(1).id, known.parts.catalog->state(2).id})},
                    {mark(2), Json(false)}};
    QVERIFY(complete() == std::vector<bool>({true, false, true, true}));
  }

  // In pieces, of as many contexts as are asked for, and without chance, which takes long.
  void pointsAreRenewedInPieces() {
    Curves known(4);
    for (const std::size_t context : {0, 1, 3}) {
      known.curves.replace(context, known.whole_curve(context, 0.5));
      known.curves.pool();
      known.curves.use(context);
      known.curves.replace(context, known.whole_curve(context, 0.75));
    }
    const std::size_t chances = known.chance.asked.size();
    QCOMPARE(known.curves.refresh(0, 2), std::size_t{3});
    QVERIFY(near(known.point(0, "knorm", 0.3)->quality, 0.75) && near(known.point(1, "knorm", 0.3)->quality, 0.75));
    QVERIFY(near(known.point(3, "knorm", 0.3)->quality, 0.5));
    QCOMPARE(known.curves.refresh(3, 2), std::size_t{4});
    QVERIFY(near(known.point(3, "knorm", 0.3)->quality, 0.75));
    QVERIFY(near(known.parts.catalog->state(3).profile->chance.mean, 0.25));
    QCOMPARE(known.chance.asked.size(), chances);
  }

  // What is expected of questions not asked yet is drawn towards what the form does to other contexts.
  void whatIsExpectedComesFromAllContexts() {
    Curves known(4);
    known.curves.replace(0, known.whole_curve(0, 0.5));
    for (const std::size_t context : {1, 2, 3}) known.curves.replace(context, known.whole_curve(context, 0.9));
    known.curves.pool();
    known.curves.use_all();
    const ProfilePoint& low = *known.point(0, "knorm", 0.3);
    QCOMPARE(low.quality, 0.5);
    QVERIFY(low.expected_quality > 0.5 && low.expected_quality < 0.9);
    const ProfilePoint& high = *known.point(1, "knorm", 0.3);
    QVERIFY(high.expected_quality < 0.9 && high.expected_quality > low.expected_quality);
    QVERIFY(near(known.point(0, "none", 0)->expected_quality, 1));
    const ProfileChance& chance = known.parts.catalog->state(0).profile->chance;
    QVERIFY(chance.mean == 0.25 && chance.low == 0.125 && chance.high == 0.5 && chance.n == 3);
    QVERIFY((known.chance.asked == std::vector<std::size_t>{0, 1, 2, 3}));
  }

  // Two of four forms were measured again and kept half of what they had: so did the others.
  void whatWasNotMeasuredAgainLostWhatTheOthersLost() {
    Curves known;
    known.curves.replace(0, {known.cell(0, "none", 0, 1), known.cell(0, "knorm", 0.3, 0.8),
                             known.cell(0, "knorm", 0.6, 0.6), known.cell(0, "kivi4", 0, 0.9)});
    known.curves.replace(1, known.whole_curve(1));
    known.curves.replace_after_drift(
        0, {known.cell(0, "none", 0, 0.2), known.cell(0, "knorm", 0.3, 0.5), known.cell(0, "knorm", 0.6, 0.2)});
    known.curves.pool();
    known.curves.use_all();
    QCOMPARE(known.point(0, "knorm", 0.3)->quality, 0.5);
    QCOMPARE(known.point(0, "none", 0)->quality, 0.2);  // the original does not enter the share
    const ProfilePoint& scaled = *known.point(0, "kivi4", 0);
    QVERIFY(near(scaled.quality, 0.45) && near(scaled.quality_low, 0.225) && near(scaled.quality_high, 0.5625));
    // Others were asked the questions of before.
    QCOMPARE(scaled.expected_quality, not_known);
    QCOMPARE(known.point(0, "none", 0)->expected_quality, not_known);
    QVERIFY(known.point(1, "kivi4", 0)->expected_quality >= 0);
    QCOMPARE(known.curves.first_cells(0)[3].point.quality, 0.9);
    QCOMPARE(known.curves.first_cells(1).size(), std::size_t{4});
    QVERIFY(known.curves.complete(0));

    // The second time it is compared with the first curve again.
    known.curves.replace_after_drift(0, {known.cell(0, "none", 0, 1), known.cell(0, "knorm", 0.3, 0.6)});
    known.curves.use(0);
    QVERIFY(near(known.point(0, "kivi4", 0)->quality, 0.9 * 0.75));
    QVERIFY(near(known.point(0, "knorm", 0.6)->quality, 0.6 * 0.75));
  }

  void theShareIsNeverAboveOneAndNothingIsLostOfNothing() {
    Curves known;
    known.curves.replace(
        0, {known.cell(0, "none", 0, 1), known.cell(0, "knorm", 0.3, 0.4), known.cell(0, "kivi4", 0, 0.5)});
    known.curves.replace_after_drift(0, {known.cell(0, "knorm", 0.3, 0.9)});
    known.curves.use(0);
    QVERIFY(near(known.point(0, "kivi4", 0)->quality, 0.5));
    known.curves.replace(1,
                         {known.cell(1, "none", 0, 1), known.cell(1, "knorm", 0.3, 0), known.cell(1, "kivi4", 0, 0.5)});
    known.curves.replace_after_drift(1, {known.cell(1, "none", 0, 0.3), known.cell(1, "knorm", 0.3, 0)});
    known.curves.use(1);
    QVERIFY(near(known.point(1, "kivi4", 0)->quality, 0.5));
  }

  void theFirstCurvesComeBack() {
    Curves known;
    known.curves.replace(0, known.whole_curve(0, 0.8));
    known.curves.replace_after_drift(0, known.whole_curve(0, 0.2));
    known.curves.pool();
    known.curves.use(0);
    QCOMPARE(known.point(0, "knorm", 0.3)->quality, 0.2);
    known.parts.catalog->mark_published();
    known.curves.restore_first();
    QVERIFY(known.parts.catalog->changed());
    QCOMPARE(known.point(0, "knorm", 0.3)->quality, 0.8);
    QVERIFY(near(known.point(0, "knorm", 0.3)->expected_quality, 0.8));  // of the curves as they are again
    QCOMPARE(known.curves.cells(0)[1].point.quality, 0.8);
    known.curves.replace(0, known.whole_curve(0, 0.6));
    known.curves.restore_first();  // there is nothing to go back to any more
    QCOMPARE(known.curves.cells(0)[1].point.quality, 0.6);
  }

  // Keys hold the processor. Its own cells come first; of others only those of one processor.
  void cellsOfAnotherProcessorServeWhereThereAreNone() {
    Curves known(3);
    MemoryProfileStore store;
    auto& kept = store.profiles[MemoryProfileStore::key_of(scope())];
    kept = known.whole_curve(0, 0.8);
    const auto add = [&](std::size_t context, double value, std::uint64_t processor) {
      for (ProfileCell& cell : known.whole_curve(context, value)) {
        cell.context.high ^= processor;
        kept.push_back(cell);
      }
    };
    add(0, 0.1, 1);
    add(1, 0.6, 1);
    add(1, 0.2, 2);
    kept.push_back(known.cell(2, "none", 0, 1));
    kept.back().context = {9, 9};
    kept.back().context_id = "nowhere";
    QVERIFY(known.curves.load(scope(), &store, {}));
    QCOMPARE(known.point(0, "knorm", 0.3)->quality, 0.8);
    QCOMPARE(known.point(1, "knorm", 0.3)->quality, 0.6);
    QCOMPARE(known.curves.cells(1).size(), std::size_t{4});
    QVERIFY(known.curves.complete(0) && known.curves.complete(1) && !known.curves.complete(2));
    const auto told = known.parts.sink.all<events::ContextProfiled>();
    QCOMPARE(told.size(), std::size_t{2});
    for (const auto& profiled : told) QVERIFY(profiled.from_store && !profiled.after_drift && profiled.seconds == 0);
    QVERIFY(known.point(0, "knorm", 0.3)->expected_quality < 0.8);  // all are pooled before they are reported
  }

  void loadingForgetsWhatWasThere() {
    for (const bool database : {true, false}) {
      Curves known;
      known.curves.replace(0, known.whole_curve(0));
      known.curves.replace_after_drift(0, known.whole_curve(0, 0.1));
      known.curves.use(0);
      MemoryProfileStore store;
      QVERIFY(known.curves.load(scope(), database ? &store : nullptr, {}));
      QVERIFY(known.parts.catalog->state(0).profile == nullptr && !known.curves.complete(0));
      known.curves.restore_first();
      QVERIFY(!known.curves.complete(0));
    }
    Curves known;
    known.curves.replace(0, known.whole_curve(0));
    known.curves.use(0);
    MemoryProfileStore broken;
    broken.broken = {"load_profiles"};
    const Status loaded = known.curves.load(scope(), &broken, {});
    QVERIFY(!loaded && loaded.error().code == ErrorCode::io);
    QVERIFY(known.parts.catalog->state(0).profile == nullptr);
  }

  void shippedCurvesAreImportedIntoAnEmptyScope() {
    QTemporaryDir folder;
    const std::filesystem::path there = folder.filePath("there").toStdString(),
                                absent = folder.filePath("absent").toStdString();
    QVERIFY(write_text_file(there, "curves"));
    Curves known;
    MemoryProfileStore store;
    std::vector<std::filesystem::path> imported;
    Status outcome;
    const ShippedProfiles shipped{{absent, there},
                                  [&](ProfileStore& into, const std::filesystem::path& file) -> Status {
                                    imported.push_back(file);
                                    KV_TRY(outcome);
                                    return into.save_profile(scope(), known.whole_curve(1));
                                  }};
    outcome = fail(ErrorCode::rejected_input, "not a profile");
    QVERIFY(!known.curves.load(scope(), &store, shipped));
    outcome = {};
    QVERIFY(known.curves.load(scope(), &store, shipped));
    QVERIFY((imported == std::vector<std::filesystem::path>{there, there}));
    QVERIFY(known.curves.complete(1));
    QVERIFY(known.curves.load(scope(), &store, shipped));  // the store has them now
    QCOMPARE(imported.size(), std::size_t{2});
  }
};

KV_TEST_GUILESS_MAIN(QualityCurvesTest)

}  // namespace quality_curves_test

#include "quality_curves_test.moc"
