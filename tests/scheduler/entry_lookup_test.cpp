// links: kv_experiments kv_tiers
// The part of the scheduler that finds the entry for a request, without a scheduler.
#include "core/scheduler/entry_lookup.h"

#include <QtTest>

#include "tests/scheduler/batch_parts.h"
#include "tests/support/test_program.h"

namespace entry_lookup_test {

using namespace kvantage;
using namespace kvantage::test;

struct Lookup : BatchParts {
  explicit Lookup(Workload of = two_contexts_in_turn(), bool prefetches = true)
      : BatchParts(std::move(of)), lookup(parts.services(), parts.serving_clock, arrivals, planner, batch, prefetches) {
    planner.use("off");
    begin(1e9);
  }
  /// A run whose requests come at this rate.
  void begin(double rate) {
    arrivals.begin(4, rate);
    arrivals.start_clock();
    lookup.begin_run();
  }
  /// The first request is out of the queue and decodes; the next one's entry is stored.
  void serve_first_of_two() {
    const std::size_t first = arrivals.next_context();
    arrivals.pop();
    next = arrivals.next_context();
    store_context(parts, next, {.tier = 0});
    (void)add_decoding(1, first);
  }
  bool pinned(std::size_t context) const { return parts.catalog->state(context).pinned; }
  /// The next request begins.
  FoundHit find_next() {
    arrivals.pop();
    return lookup.find(next, false);
  }

  std::size_t next = 0;  // context of the second request
  CostModel costs{parts.services()};
  HitPlanner planner{parts.services(), costs, false};
  EntryLookup lookup;
};

class EntryLookupTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void findsWhatIsStored() {
    Lookup made;
    const FoundHit absent = made.lookup.find(0, false);
    QVERIFY(!absent.hit && absent.begun_load == nullptr);
    QVERIFY(absent.lookup_seconds > 0 && absent.prefetch_seconds == 0);
    store_context(made.parts, 0, {.tier = 0});
    const FoundHit found = made.lookup.find(0, false);
    QVERIFY(found.hit.has_value() && found.begun_load == nullptr);
    QCOMPARE(found.hit->context, std::size_t{0});
    QVERIFY(found.hit->choice == nullptr);
    QVERIFY(!made.lookup.find(1, false).hit);
  }

  // Others stored the context while it waited for its turn to compute.
  void aRetryTakesTheEntryAndPinsIt() {
    Lookup made;
    made.batch.add(made.request(1));
    ServedRequest& request = made.at(0);
    made.lookup.retry(request);
    QVERIFY(request.task->may_take_hit() && !request.task->reading() && !made.pinned(0));
    store_context(made.parts, 0, {.tier = 0});
    made.lookup.retry(request);
    QVERIFY(!request.task->may_take_hit() && request.task->reading());
    QVERIFY(made.pinned(0));
    QVERIFY(request.entry_header.lock() == made.parts.catalog->details(0).header);
    (void)made.batch.take_out(0);
    made.lookup.update_pin(0);
    QVERIFY(!made.pinned(0));
  }

  void aRetryTakesAPrefix() {
    Lookup made(growing_session(8, 3));
    const std::size_t shorter = *made.parts.catalog->index_of_id("c0");
    const std::size_t longer = *made.parts.catalog->index_of_id("longer");
    made.batch.add(made.request(1, longer));
    QCOMPARE(made.at(0).entry, longer);
    store_context(made.parts, shorter, {.tier = 0});
    made.lookup.retry(made.at(0));
    QCOMPARE(made.at(0).entry, shorter);
    QVERIFY(made.pinned(shorter) && !made.pinned(longer));
  }

  void whoComputesAlreadyTakesNoEntry() {
    Lookup made;
    made.batch.add(made.request(1));
    must(made.batch.compute(made.at(0)));
    store_context(made.parts, 0, {.tier = 0});
    made.lookup.retry(made.at(0));
    QVERIFY(made.need(0) == RequestTask::Need::compute && !made.at(0).task->reading() && !made.pinned(0));
    BatchParts::bring_to_tokens(made.at(0));
    QCOMPARE(made.at(0).task->record().source, std::string("prefill"));
  }

  // As long as anybody reads it.
  void anEntryIsPinnedByAllItsReaders() {
    Lookup made;
    store_context(made.parts, 0, {.tier = 0});
    for (const std::uint64_t id : {1, 2}) made.batch.add(made.request(id, 0, made.hit_of(0)));
    made.lookup.update_pin(0);
    made.lookup.update_pin(1);
    QVERIFY(made.pinned(0) && !made.pinned(1));
    BatchParts::bring_to_tokens(made.at(0));
    made.lookup.update_pin(0);
    QVERIFY(made.pinned(0));
    BatchParts::bring_to_tokens(made.at(1));
    made.lookup.update_pin(0);
    QVERIFY(!made.pinned(0));
  }

  void theNextOnesEntryIsReadAheadAndPinned() {
    Lookup made;
    made.serve_first_of_two();
    QVERIFY(!made.pinned(made.next));
    made.lookup.prefetch();
    QVERIFY(made.pinned(made.next));
    for (int turn = 0; turn < 10; ++turn) made.lookup.prefetch();
    QVERIFY(made.pinned(made.next));
    FoundHit found = made.find_next();
    QVERIFY(found.hit && found.hit->context == made.next && found.begun_load != nullptr);
    QVERIFY(found.prefetch_seconds > 0 && found.lookup_seconds > 0);
    QVERIFY(found.begun_load->layer_arrived(0));
    const Arrival arrival{.context = made.next, .question = 0, .id = 2};
    made.batch.add(made.builder.make(arrival, made.builder.input_of(arrival), std::move(found)));
    made.lookup.update_pin(made.next);
    QVERIFY(made.pinned(made.next));  // its request reads it now
    BatchParts::bring_to_tokens(made.at(1));
    made.lookup.update_pin(made.next);
    QVERIFY(!made.pinned(made.next));
    QCOMPARE(made.parts.lender.leased_bytes(), std::size_t{0});
  }

  // Each of these alone is reason enough.
  void nothingIsReadAheadWhereNobodyQueuesOrTheTiersAreBusy() {
    struct Case {
      const char* what;
      std::function<void(Lookup&)> change;
    };
    const Case cases[] = {
        {"it is", [](Lookup&) {}},
        {"without a rate", [](Lookup& made) { made.arrivals.change_rate(0); }},
        {"not due", [](Lookup& made) { made.arrivals.change_rate(1e-9); }},
        {"a free place", [](Lookup& made) { made.batch.set_limit(2); }},
        {"one begins again first", [](Lookup& made) { made.arrivals.put_back({.context = 0, .id = 1}); }},
        {"another one computes", [](Lookup& made) { made.batch.add(made.request(5)); }},
        {"no other one", [](Lookup& made) {
           while (!made.arrivals.exhausted()) made.arrivals.pop();
         }}};
    for (const Case& one : cases) {
      Lookup made;
      made.serve_first_of_two();
      one.change(made);
      made.lookup.prefetch();
      QVERIFY2(made.pinned(made.next) == (std::string(one.what) == "it is"), one.what);
    }
    Lookup frozen(two_contexts_in_turn(), false);
    frozen.serve_first_of_two();
    frozen.lookup.prefetch();
    QVERIFY(!frozen.pinned(frozen.next));
  }

  // It is read for its place in the sequence, whoever begins again before.
  void whoBeginsAgainLeavesItAlone() {
    Lookup made;
    made.serve_first_of_two();
    made.lookup.prefetch();
    const FoundHit again = made.lookup.find(made.next, true);
    QVERIFY(again.hit && again.begun_load == nullptr && again.prefetch_seconds == 0);
    QVERIFY(made.pinned(made.next));
    made.arrivals.pop();
    QVERIFY(made.lookup.find(made.next, true).begun_load == nullptr);
    QVERIFY(made.lookup.find(made.next, false).begun_load != nullptr);
  }

  // A request that begins for which nothing was read ahead ends the reading for another.
  void whatWasReadForAnotherIsDropped() {
    Lookup made;
    made.serve_first_of_two();
    made.lookup.prefetch();
    made.arrivals.pop();
    made.arrivals.pop();
    const FoundHit found = made.lookup.find(1 - made.next, false);
    QVERIFY(found.begun_load == nullptr && found.prefetch_seconds == 0);
    QVERIFY(!made.pinned(made.next));
    QCOMPARE(made.parts.lender.leased_bytes(), std::size_t{0});
  }

  void whatIsDroppedOrFailsIsPinnedNoLonger() {
    for (const bool fails : {false, true}) {
      Lookup made;
      made.serve_first_of_two();
      made.parts.dram->holds_reads = true;
      made.lookup.prefetch();
      QVERIFY(made.pinned(made.next));
      if (fails) {
        made.parts.dram->fail_held_read("device");
        made.lookup.prefetch();
      } else {
        made.lookup.drop_prefetch();
      }
      QVERIFY(!made.pinned(made.next));
      QCOMPARE(made.parts.lender.leased_bytes(), std::size_t{0});
      made.lookup.prefetch();
      QVERIFY(!made.pinned(made.next));  // the next one is looked at once
      made.lookup.begin_run();
      made.lookup.prefetch();
      QVERIFY(made.pinned(made.next));
      made.lookup.drop_prefetch();
    }
  }
};

KV_TEST_GUILESS_MAIN(EntryLookupTest)

}  // namespace entry_lookup_test

#include "entry_lookup_test.moc"
