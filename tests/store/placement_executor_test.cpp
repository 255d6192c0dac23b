// links: core_store tiers
// The part of the engine that carries out what a policy wants, without requests.
#include "core/store/placement_executor.h"

#include <QtTest>

#include "core/policy/milp/search_bounds.h"

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace placement_executor_test {

using namespace kvantage;
using namespace kvantage::test;

using Kind = PolicyEvent::Kind;
constexpr double no_limit = 1e18;

struct Placing {
  explicit Placing(const std::string& policy, int contexts = 3, bool frozen = false)
      : parts(small_workload(contexts, 8, 3)),
        placement(
            parts.services(), counters, [this] { return nobody_waits; }, frozen) {
    parts.catalog->snapshot().alpha = 3;
    must(placement.use_policy(policy));
  }
  void computed(std::size_t context) {
    compute_original(parts, context, true);
    placement.dispatch_event({.kind = Kind::context_computed, .context = parts.catalog->state(context).key});
  }
  void changed_settings() { placement.dispatch_event({.kind = Kind::settings_changed, .context = {}}); }
  std::size_t stored() const {
    std::size_t count = 0;
    for (const ContextState& context : parts.catalog->snapshot().contexts) count += context.placement.stored() ? 1 : 0;
    return count;
  }
  /// Contexts that are asked for and archived, so that a plan wants each of them stored.
  void let_all_be_wanted() {
    for (std::size_t c = 0; c < parts.catalog->size(); ++c) {
      compute_original(parts, c, true);
      parts.store->finish_writes();
      parts.catalog->state(c).frequency = 1;
    }
    parts.catalog->snapshot().prefill.base_seconds = 100;
    parts.catalog->snapshot().tiers[0].model = {.latency_seconds = 0, .bytes_per_second = 1e12};
  }
  EngineParts parts;
  RunCounters counters;
  bool nobody_waits = true;
  PlacementExecutor placement;
};

/// Lives until a policy without memory gets an event.
struct Untold final : PolicyMemory {};

class PlacementExecutorTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void whatAReducerWantsIsDoneAtOnce() {
    Placing placing("lru");
    placing.nobody_waits = false;
    placing.computed(1);
    QVERIFY(!placing.placement.has_actions() && !placing.placement.may_place());
    QCOMPARE(placing.parts.catalog->state(1).placement.tier, 0);
    QVERIFY(placing.parts.catalog->changed());
    QVERIFY(placing.counters.so_far().placing_seconds > 0);
    QCOMPARE(placing.parts.sink.count<events::PlanMade>(), std::size_t{0});
  }

  void aPlanIsCarriedOutWhenItHasItsTurn() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.changed_settings();
    QVERIFY(placing.placement.has_actions() && placing.placement.may_place());
    QCOMPARE(placing.stored(), std::size_t{0});
    const auto plans = placing.parts.sink.all<events::PlanMade>();
    QCOMPARE(plans.size(), std::size_t{1});
    QCOMPARE(plans[0].policy, std::string("evicpress"));
    QCOMPARE(plans[0].alpha, 3.0);
    QCOMPARE(plans[0].actions, std::uint64_t{3});
    QVERIFY(plans[0].seconds > 0);
    placing.placement.place(no_limit);
    QCOMPARE(placing.stored(), std::size_t{3});
    QVERIFY(!placing.placement.has_actions());
  }

  // One that was begun is finished: at least one, and no other once the time is over or a command waits.
  void aTurnIsBounded() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.changed_settings();
    placing.placement.place(0);
    QCOMPARE(placing.stored(), std::size_t{1});
    placing.parts.interrupted = true;
    placing.placement.place(no_limit);
    QCOMPARE(placing.stored(), std::size_t{2});
    placing.parts.interrupted = false;
    placing.placement.place(no_limit);
    QCOMPARE(placing.stored(), std::size_t{3});
  }

  // Requests wait while it searches: a stop ends that, and in a session it has smaller limits, but not in a frozen run.
  void aSearchIsBoundedAndEndsWithTheSession() {
    for (const bool frozen : {false, true}) {
      Placing placing("evicpress", 3, frozen);
      placing.let_all_be_wanted();
      EngineServices services = placing.parts.services();
      int asked = 0;
      bool stop = false;
      ChoiceLimits seen;
      services.interrupted = [&] {
        ++asked;
        seen = SearchBounds::within(ChoiceLimits{});
        return stop;
      };
      PlacementExecutor placement(
          services, placing.counters, [] { return true; }, frozen);
      must(placement.use_policy("optimal"));
      placement.dispatch_event({.kind = Kind::settings_changed, .context = {}});
      QVERIFY(asked > 0);
      QCOMPARE(seen.seconds, frozen ? ChoiceLimits{}.seconds : session_search_limits.seconds);
      QCOMPARE(seen.columns, frozen ? ChoiceLimits{}.columns : session_search_limits.columns);
      QVERIFY(!SearchCancel::is_asked());
      QCOMPARE(SearchBounds::within(ChoiceLimits{}).seconds, ChoiceLimits{}.seconds);  // of the event alone
      stop = true;
      placement.dispatch_event({.kind = Kind::settings_changed, .context = {}});
      stop = false;
      placement.place(no_limit);
      placing.parts.store->finish_writes();
      const auto placed = placing.parts.sink.all<events::PlacementCommitted>();
      QVERIFY(!placed.empty());
      for (const auto& one : placed)
        QVERIFY2(one.action.reason.find("not proven") != std::string::npos, one.action.reason.c_str());
    }
  }

  void aNewerPlanReplacesTheOlderOne() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.changed_settings();
    QVERIFY(placing.placement.has_actions());
    placing.parts.catalog->state(0).last_access = 1;  // no request at which it plans again
    placing.placement.dispatch_event({.kind = Kind::requested, .context = placing.parts.catalog->state(0).key});
    QVERIFY(placing.placement.has_actions());  // what it wanted stands
    placing.parts.catalog->snapshot().tiers[0].budget_bytes = 1;
    placing.changed_settings();  // it wants nothing any more
    QVERIFY(!placing.placement.has_actions());
    placing.placement.place(no_limit);
    QCOMPARE(placing.stored(), std::size_t{0});
  }

  void aPlanIsForgottenOnDemand() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.changed_settings();
    placing.placement.forget_actions();
    QVERIFY(!placing.placement.has_actions());
  }

  void anUnknownPolicyChangesNothing() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.changed_settings();
    const Status used = placing.placement.use_policy("nosuch");
    QVERIFY(!used && used.error().code == ErrorCode::usage);
    QCOMPARE(placing.placement.policy_name(), std::string("evicpress"));
    QCOMPARE(placing.placement.policy().name(), std::string("evicpress"));
    QVERIFY(placing.placement.has_actions());
    QVERIFY(placing.placement.use_policy("lru"));
    QCOMPARE(placing.placement.policy_name(), std::string("lru"));
    QVERIFY(!placing.placement.has_actions());  // what the other one wanted
  }

  // No request waits for the bytes of others; without requests there is time to wait.
  void aPlanWaitsForBytesInFlightBesideRequests() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.parts.store->writes().set_max_bytes(1);
    placing.parts.dram->holds_writes = true;
    placing.nobody_waits = false;
    placing.changed_settings();
    QVERIFY(placing.placement.may_place());  // nothing is in flight
    placing.placement.place(no_limit);
    QCOMPARE(placing.stored(), std::size_t{1});
    QVERIFY(placing.placement.has_actions() && !placing.placement.may_place());
    placing.nobody_waits = true;
    QVERIFY(placing.placement.may_place());
    placing.nobody_waits = false;
    placing.parts.dram->holds_writes = false;
    placing.parts.dram->fail_held_write();
    placing.parts.store->poll();
    QVERIFY(placing.placement.may_place());
  }

  // A reducer wants it now or not at all.
  void aReducerIsRefusedWhatWouldHaveToWait() {
    Placing placing("lru");
    placing.parts.store->writes().set_max_bytes(1);
    placing.parts.dram->holds_writes = true;
    placing.nobody_waits = false;
    for (const std::size_t context : {0, 1}) {
      compute_original(placing.parts, context, false);
      placing.parts.catalog->state(context).archived = true;
      placing.placement.dispatch_event(
          {.kind = Kind::context_computed, .context = placing.parts.catalog->state(context).key});
    }
    QVERIFY(!placing.placement.has_actions());
    QCOMPARE(placing.stored(), std::size_t{1});
    const auto failed = placing.parts.sink.all<events::PlacementFailed>();
    QCOMPARE(failed.size(), std::size_t{1});
    QVERIFY(failed[0].reason.find("still being written") != std::string::npos);
  }

  // What was decided since rests on a placement that did not come about.
  void aFailureEndsThePlanThatItBelongsTo() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.parts.dram->holds_writes = true;
    placing.changed_settings();
    placing.placement.place(0);
    QVERIFY(placing.placement.has_actions());
    placing.parts.catalog->mark_published();
    placing.parts.dram->fail_held_write();
    placing.parts.store->poll();
    placing.placement.take_failed_writes();
    QVERIFY(!placing.placement.has_actions());
    QVERIFY(placing.parts.catalog->changed());
    QCOMPARE(placing.stored(), std::size_t{0});
  }

  void actionsThatCannotBeCarriedOutEndThePlan() {
    Placing placing("evicpress");
    placing.let_all_be_wanted();
    placing.changed_settings();
    placing.parts.store->originals().forget();
    for (const EntryInfo& entry : placing.parts.archive->entries()) must(placing.parts.archive->erase(entry.key));
    placing.placement.place(no_limit);
    QVERIFY(!placing.placement.has_actions());
    QCOMPARE(placing.parts.sink.count<events::PlacementFailed>(), std::size_t{1});  // the others are not tried
  }

  // A policy that answers a failure with what fails again must not keep the engine busy for ever.
  void failuresAreToldThreeTimesInARow() {
    Placing placing("lru", 6);
    placing.parts.dram->holds_writes = true;
    for (std::size_t c = 0; c < 6; ++c) placing.computed(c);
    QCOMPARE(placing.parts.dram->held_writes(), std::size_t{6});
    const auto is_told_of_a_failure = [&] {
      placing.parts.catalog->policy_state().memory = std::make_shared<Untold>();
      placing.parts.dram->fail_held_write();
      placing.parts.store->poll();
      placing.placement.take_failed_writes();
      return placing.parts.catalog->policy_state().memory == nullptr;
    };
    for (int i = 0; i < 3; ++i) QVERIFY(is_told_of_a_failure());
    QVERIFY(!is_told_of_a_failure());
    QVERIFY(!is_told_of_a_failure());
    placing.placement.dispatch_event({.kind = Kind::requested, .context = placing.parts.catalog->state(0).key});
    QVERIFY(is_told_of_a_failure());  // something else has happened in between
  }

  // A frozen run knows what a write comes to before the next decision.
  void aFrozenRunWaitsForEachWrite() {
    Placing placing("evicpress", 3, true);
    placing.let_all_be_wanted();
    placing.changed_settings();
    placing.placement.place(no_limit);
    QCOMPARE(placing.parts.sink.count<events::PlacementCommitted>(), std::size_t{3});
  }
};

KV_TEST_GUILESS_MAIN(PlacementExecutorTest)

}  // namespace placement_executor_test

#include "placement_executor_test.moc"
