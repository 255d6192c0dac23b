// links: core_cost tiers
// The part of the engine that says how a stored context is served, without the others.
#include "core/cost/hit_planner.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace hit_planner_test {

using namespace kvantage;
using namespace kvantage::test;

/// Arriving bytes cost nothing.
struct FreeIntake final : IntakeCost {
  double intake_seconds_per_byte() const override { return 0; }
};

/// Context 0 is stored; what its tier and a prefill cost is the test's to say.
struct Stored {
  explicit Stored(const Configuration& as = {.tier = 0}, bool frozen = false, int sentences = 16)
      : parts(small_workload(2, sentences, 3)), planner(parts.services(), intake, frozen) {
    store_context(parts, 0, as);
  }
  void cost(double load_seconds, double prefill_seconds) {
    Snapshot& snapshot = parts.catalog->snapshot();
    const auto bytes = static_cast<double>(parts.catalog->state(0).stored_bytes);
    snapshot.tiers[0].model = {.latency_seconds = 0, .bytes_per_second = bytes / load_seconds};
    snapshot.prefill = {.base_seconds = 0,
                        .seconds_per_token = prefill_seconds / static_cast<double>(parts.catalog->state(0).tokens)};
    snapshot.question = {.base_seconds = 0.001};
  }
  CacheHit hit() { return *parts.store->find(parts.catalog->details(0).tokens); }
  CacheHit chosen() {
    CacheHit hit = this->hit();
    planner.choose(hit, 0);
    return hit;
  }
  /// How many are computed until one is loaded all the same.
  int computed_in_a_row() {
    int count = 0;
    while (count < 1000 && chosen().choice != nullptr) ++count;
    return count;
  }
  EngineParts parts;
  FreeIntake intake;
  HitPlanner planner;
};

class HitPlannerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatIsSoonerIsChosen() {
    Stored stored({.tier = 0}, false, 120);  // more than a chunk: it can be computed in parts
    stored.cost(0.01, 100);
    QVERIFY(stored.chosen().choice == nullptr);  // loaded
    stored.cost(100, 0.01);
    const CacheHit computed = stored.chosen();
    QVERIFY(computed.choice != nullptr && computed.choice->reads_nothing);
    stored.cost(1, 1);
    const CacheHit both = stored.chosen();
    QVERIFY(both.choice != nullptr && !both.choice->reads_nothing);
    QVERIFY(both.choice->predicted_seconds < both.choice->load_alone_seconds);
  }

  void whoeverDoesNotDecideLoads() {
    Stored stored;
    stored.cost(100, 0.01);
    stored.planner.use("off", {});
    QVERIFY(stored.chosen().choice == nullptr);
    stored.planner.use("auto", {});
    QVERIFY(stored.chosen().choice != nullptr);
    Stored frozen({.tier = 0}, true);
    frozen.cost(100, 0.01);
    frozen.planner.use("auto", {});
    QVERIFY(frozen.chosen().choice == nullptr);
    CacheHit hit = stored.hit();
    stored.parts.catalog->state(0).placement = {};  // it has left its tier meanwhile
    stored.planner.choose(hit, 0);
    QVERIFY(hit.choice == nullptr);
  }

  void plansKnowWhoDecides() {
    Stored stored;
    const auto& hybrid = stored.parts.catalog->snapshot().hybrid;
    QVERIFY(!hybrid);
    stored.planner.use("auto", {"keydiff", "kivi4", "keydiff+kivi4", "rerotate(streaming_llm)", "no method"});
    QVERIFY(hybrid.has_value());
    QCOMPARE(hybrid->methods, (std::vector<std::string>{"none", "keydiff"}));
    QCOMPARE(hybrid->piece_tokens, 256);
    QCOMPARE(hybrid->layers, stored.parts.runtime->model->config().layers);
    QVERIFY(hybrid->computes_all);
    stored.planner.use("hybrid", {"keydiff"});
    QVERIFY(hybrid.has_value() && !hybrid->computes_all);
    stored.planner.use("off", {"keydiff"});
    QVERIFY(!hybrid);
    Stored frozen({.tier = 0}, true);
    frozen.planner.use("auto", {"keydiff"});
    QVERIFY(!frozen.parts.catalog->snapshot().hybrid);
  }

  // A tier that is never read would never be found to have become fast.
  void aTierThatIsTooSlowIsReadNowAndThen() {
    Stored stored;
    stored.cost(0.2, 0.01);
    const int first = stored.computed_in_a_row();
    QVERIFY2(first >= UnreadTier::min_between && first < 1000, std::to_string(first).c_str());
    QCOMPARE(stored.computed_in_a_row(), first);
  }

  // The load that followed was as slow as the fits say: back to computing. A fast one: the next is loaded, too.
  void howThatLoadWentDecidesOnTheNext() {
    for (const bool fast : {false, true}) {
      Stored stored;
      stored.cost(0.2, 0.01);
      (void)stored.computed_in_a_row();
      const auto task = served(stored.parts, 0, 0, stored.hit());
      QVERIFY(task->load_sample().has_value());
      task->record().timing.ttft_service_seconds = fast ? 0.001 : 10;
      stored.planner.learn(*task, 0, stored.parts.catalog->state(0).placement);
      QCOMPARE(stored.chosen().choice == nullptr, fast);
    }
    Stored stored;
    stored.cost(0.2, 0.01);
    (void)stored.computed_in_a_row();
    const auto task = served(stored.parts, 0, 0, stored.hit());
    task->record().timing.ttft_service_seconds = 0.001;
    stored.planner.learn(*task, 0, {});  // its entry has gone since: of which tier it was is not known
    QVERIFY(stored.chosen().choice != nullptr);
  }

  // An entry from before the start came without header and map: who loaded all of it knows both.
  void whatALoadReadIsKnownFromThenOn() {
    Stored stored({.tier = 0, .method = "knorm", .removed_fraction = 0.5});
    ContextDetails& details = stored.parts.catalog->details(0);
    const auto header = details.header;
    const auto map = details.kept_map;
    QVERIFY(header != nullptr && map != nullptr);
    const CacheHit known = stored.hit();
    details.forget_header();
    const auto task = served(stored.parts, 0, 0, stored.hit());
    stored.planner.learn(*task, 0, stored.parts.catalog->state(0).placement);
    QVERIFY(details.header != nullptr);
    QCOMPARE(details.header->kept_rows, header->kept_rows);
    QVERIFY(details.kept_map != nullptr && *details.kept_map == *map);
    // It says nothing about another version that was written meanwhile.
    const auto late = served(stored.parts, 0, 0, known);
    details.header = std::make_shared<const EntryHeader>(*header);
    details.kept_map.reset();
    stored.planner.learn(*late, 0, stored.parts.catalog->state(0).placement);
    QVERIFY(details.kept_map == nullptr);
  }

  void aMissTeachesNothing() {
    Stored stored;
    ContextDetails& details = stored.parts.catalog->details(1);
    const auto task = served(stored.parts, 1, 0);
    stored.planner.learn(*task, 1, {});
    QVERIFY(details.header == nullptr && details.kept_map == nullptr);
  }
};

KV_TEST_GUILESS_MAIN(HitPlannerTest)

}  // namespace hit_planner_test

#include "hit_planner_test.moc"
