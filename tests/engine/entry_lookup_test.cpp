// links: kv_experiments kv_tiers
// The part of the scheduler that finds the entry for a request, without a scheduler.
#include "core/scheduler/entry_lookup.h"

#include <QtTest>

#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace entry_lookup_test {

using namespace kvantage;
using namespace kvantage::test;

struct Lookup {
  Lookup() {
    planner.use("off");
    arrivals.begin(2, 0);
    lookup.begin_run();
  }
  Workload workload = small_workload(2, 8, 3);
  EngineParts parts{workload};
  CostModel costs{parts.services()};
  HitPlanner planner{parts.services(), costs, false};
  ArrivalQueue arrivals{workload, *parts.catalog, parts.serving_clock, {.seed = 4}};
  RunCounters counters;
  RequestBatch batch{parts.services(), parts.serving_clock, counters};
  EntryLookup lookup{parts.services(), parts.serving_clock, arrivals, planner, batch, true};
};

class EntryLookupTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void findsWhatIsStored() {
    Lookup lookup;
    const FoundHit absent = lookup.lookup.find(0, false);
    QVERIFY(!absent.hit && absent.begun_load == nullptr);
    QVERIFY(absent.lookup_seconds > 0 && absent.prefetch_seconds == 0);
    store_context(lookup.parts, 0, {.tier = 0});
    const FoundHit found = lookup.lookup.find(0, false);
    QVERIFY(found.hit.has_value());
    QCOMPARE(found.hit->context, std::size_t{0});
    QVERIFY(found.hit->choice == nullptr);
  }

  // Others stored the context while it waited for its turn to compute.
  void aRetryTakesTheEntryAndPinsIt() {
    Lookup lookup;
    RequestBuilder builder(lookup.parts.services(), lookup.parts.serving_clock, 12);
    const Arrival arrival{.context = 0, .question = 0, .id = 1};
    lookup.batch.add(builder.make(arrival, builder.input_of(arrival), lookup.lookup.find(0, false)));
    ServedRequest& request = lookup.batch.requests()[0];
    lookup.lookup.retry(request);
    QVERIFY(request.task->may_take_hit() && !request.task->reading());
    store_context(lookup.parts, 0, {.tier = 0});
    lookup.lookup.retry(request);
    QVERIFY(!request.task->may_take_hit() && request.task->reading());
    QVERIFY(lookup.parts.catalog->state(0).pinned);
    QVERIFY(request.entry_header.lock() == lookup.parts.catalog->details(0).header);
    (void)lookup.batch.take_out(0);
    lookup.lookup.update_pin(0);
    QVERIFY(!lookup.parts.catalog->state(0).pinned);
  }

  // Without a rate the next request is there only when the one before it is answered.
  void nothingIsReadAheadWithoutARate() {
    Lookup lookup;
    for (std::size_t c = 0; c < 2; ++c) store_context(lookup.parts, c, {.tier = 0});
    lookup.lookup.prefetch();
    for (std::size_t c = 0; c < 2; ++c) QVERIFY(!lookup.parts.catalog->state(c).pinned);
    QCOMPARE(lookup.lookup.find(0, false).prefetch_seconds, 0.0);
  }
};

KV_TEST_GUILESS_MAIN(EntryLookupTest)

}  // namespace entry_lookup_test

#include "entry_lookup_test.moc"
