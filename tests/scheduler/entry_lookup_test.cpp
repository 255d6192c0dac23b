// links: core_scheduler tiers
// The part of the scheduler that finds the entry for a request, without a scheduler.
#include "core/scheduler/entry_lookup.h"

#include <QtTest>

#include "tests/scheduler/served_parts.h"
#include "tests/support/test_program.h"

namespace entry_lookup_test {

using namespace kvantage;
using namespace kvantage::test;

/// What the lookup sees of the queue: contexts in turn.
struct StubQueue final : WaitingRequests {
  double rate() const override { return per_second; }
  bool exhausted() const override { return next >= contexts.size(); }
  bool is_due() const override { return due; }
  bool has_put_back() const override { return restarts; }
  std::size_t taken() const override { return next; }
  std::size_t next_context() const override { return contexts[next]; }
  std::vector<std::size_t> contexts{0, 1, 0, 1};
  std::size_t next = 0;
  double per_second = 1e9;
  bool due = true, restarts = false;
};

/// What it sees of the batch.
struct StubBatch final : RunningRequests {
  bool has_free_place() const override { return running.size() < limit; }
  const std::vector<ServedRequest>& requests() const override { return running; }
  std::vector<ServedRequest> running;
  std::size_t limit = 1;
};

struct Lookup : ServedParts {
  explicit Lookup(Workload of = small_workload(2, 8, 3), bool prefetches = true)
      : ServedParts(std::move(of)), lookup(parts.services(), parts.serving_clock, queue, choice, batch, prefetches) {
    lookup.begin_run();
  }
  /// The first request is out of the queue and decodes; the next one's entry is stored.
  void serve_first_of_two() {
    const std::size_t first = queue.next_context();
    ++queue.next;
    next = queue.next_context();
    store_context(parts, next, {.tier = 0});
    bring_to_tokens(add(request(1, first)));
  }
  ServedRequest& add(ServedRequest request) { return batch.running.emplace_back(std::move(request)); }
  ServedRequest& at(std::size_t place) { return batch.running[place]; }
  void take_out(std::size_t place) { batch.running.erase(batch.running.begin() + static_cast<std::ptrdiff_t>(place)); }
  bool pinned(std::size_t context) const { return parts.catalog->state(context).pinned; }
  /// The next request begins.
  FoundHit find_next() {
    ++queue.next;
    return lookup.find(next, false);
  }

  std::size_t next = 0;  // context of the second request
  StubQueue queue;
  AlwaysLoad choice;
  StubBatch batch;
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
    QVERIFY((made.choice.asked == std::vector<std::size_t>{0}));  // only of what is stored
  }

  // Others stored the context while it waited for its turn to compute.
  void aRetryTakesTheEntryAndPinsIt() {
    Lookup made;
    made.add(made.request(1));
    ServedRequest& request = made.at(0);
    made.lookup.retry(request);
    QVERIFY(request.task->may_take_hit() && !request.task->reading() && !made.pinned(0));
    store_context(made.parts, 0, {.tier = 0});
    made.lookup.retry(request);
    QVERIFY(!request.task->may_take_hit() && request.task->reading());
    QVERIFY(made.pinned(0));
    QVERIFY(request.entry_header.lock() == made.parts.catalog->details(0).header);
    made.take_out(0);
    made.lookup.update_pin(0);
    QVERIFY(!made.pinned(0));
  }

  void aRetryTakesAPrefix() {
    Lookup made(growing_session(8, 3));
    const std::size_t shorter = *made.parts.catalog->index_of_id("c0");
    const std::size_t longer = *made.parts.catalog->index_of_id("longer");
    made.add(made.request(1, longer));
    QCOMPARE(made.at(0).entry, longer);
    store_context(made.parts, shorter, {.tier = 0});
    made.lookup.retry(made.at(0));
    QCOMPARE(made.at(0).entry, shorter);
    QVERIFY(made.pinned(shorter) && !made.pinned(longer));
    QVERIFY((made.choice.asked == std::vector<std::size_t>{longer}));
  }

  void whoComputesAlreadyTakesNoEntry() {
    Lookup made;
    made.add(made.request(1));
    must(made.at(0).task->compute());
    store_context(made.parts, 0, {.tier = 0});
    made.lookup.retry(made.at(0));
    QVERIFY(made.at(0).task->needs() == RequestTask::Need::compute && !made.at(0).task->reading() && !made.pinned(0));
    ServedParts::bring_to_tokens(made.at(0));
    QCOMPARE(made.at(0).task->record().source, std::string("prefill"));
  }

  // As long as anybody reads it.
  void anEntryIsPinnedByAllItsReaders() {
    Lookup made;
    store_context(made.parts, 0, {.tier = 0});
    for (const std::uint64_t id : {1, 2}) made.add(made.request(id, 0, made.hit_of(0)));
    made.lookup.update_pin(0);
    made.lookup.update_pin(1);
    QVERIFY(made.pinned(0) && !made.pinned(1));
    ServedParts::bring_to_tokens(made.at(0));
    made.lookup.update_pin(0);
    QVERIFY(made.pinned(0));
    ServedParts::bring_to_tokens(made.at(1));
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
    made.add(made.request_with(2, made.next, std::move(found)));
    made.lookup.update_pin(made.next);
    QVERIFY(made.pinned(made.next));  // its request reads it now
    ServedParts::bring_to_tokens(made.at(1));
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
    const Case cases[] = {{"it is", [](Lookup&) {}},
                          {"without a rate", [](Lookup& made) { made.queue.per_second = 0; }},
                          {"not due", [](Lookup& made) { made.queue.due = false; }},
                          {"a free place", [](Lookup& made) { made.batch.limit = 2; }},
                          {"one begins again first", [](Lookup& made) { made.queue.restarts = true; }},
                          {"another one computes", [](Lookup& made) { made.add(made.request(5)); }},
                          {"no other one", [](Lookup& made) { made.queue.next = made.queue.contexts.size(); }}};
    for (const Case& one : cases) {
      Lookup made;
      made.serve_first_of_two();
      one.change(made);
      made.lookup.prefetch();
      QVERIFY2(made.pinned(made.next) == (std::string(one.what) == "it is"), one.what);
    }
    Lookup frozen(small_workload(2, 8, 3), false);
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
    ++made.queue.next;
    QVERIFY(made.lookup.find(made.next, true).begun_load == nullptr);
    QVERIFY(made.lookup.find(made.next, false).begun_load != nullptr);
  }

  // A request that begins for which nothing was read ahead ends the reading for another.
  void whatWasReadForAnotherIsDropped() {
    Lookup made;
    made.serve_first_of_two();
    made.lookup.prefetch();
    ++made.queue.next;
    ++made.queue.next;
    const FoundHit found = made.lookup.find(1 - made.next, false);
    QVERIFY(found.begun_load == nullptr && found.prefetch_seconds == 0);
    QVERIFY(!made.pinned(made.next));
    QCOMPARE(made.parts.lender.leased_bytes(), std::size_t{0});
  }

  void whatIsDroppedOrFailsIsPinnedNoLonger() {
    // "": dropped. Of a device that fails the entry is lost; one that is unavailable is read again.
    for (const std::string& reason : {std::string(), std::string("unavailable"), std::string("device")}) {
      const bool lost = reason == "device";
      Lookup made;
      made.serve_first_of_two();
      made.parts.dram->holds_reads = true;
      made.lookup.prefetch();
      QVERIFY(made.pinned(made.next));
      if (!reason.empty()) {
        made.parts.dram->fail_held_read(reason);
        made.lookup.prefetch();
      } else {
        made.lookup.drop_prefetch();
      }
      QCOMPARE(made.parts.catalog->state(made.next).placement.stored(), !lost);
      QVERIFY(!made.pinned(made.next));
      QCOMPARE(made.parts.lender.leased_bytes(), std::size_t{0});
      made.lookup.prefetch();
      QVERIFY(!made.pinned(made.next));  // the next one is looked at once
      made.lookup.begin_run();
      made.lookup.prefetch();
      QCOMPARE(made.pinned(made.next), !lost);
      made.lookup.drop_prefetch();
    }
  }
};

KV_TEST_GUILESS_MAIN(EntryLookupTest)

}  // namespace entry_lookup_test

#include "entry_lookup_test.moc"
