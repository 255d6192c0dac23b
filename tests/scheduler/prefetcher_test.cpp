// links: core_scheduler tiers
// What reads the next request's entry ahead, without requests: the queue's next one is the test's to take.
#include "core/scheduler/prefetcher.h"

#include <QtTest>

#include "tests/scheduler/served_parts.h"
#include "tests/support/test_program.h"

namespace prefetcher_test {

using namespace kvantage;
using namespace kvantage::test;

struct Ahead : ServedParts {
  explicit Ahead(bool stored = true) : ServedParts(two_contexts_in_turn()) {
    arrivals.begin(4, 1000);
    next = arrivals.next_context();
    if (stored) store_context(parts, next, {.tier = 0});
    (void)parts.store->originals().forget();
    prefetcher.begin_run();
  }
  /// Until all of it has arrived.
  void read_all() {
    for (int turn = 0; turn < 100; ++turn)
      if (prefetcher.pump()) qFatal("what is read ahead failed");
  }
  std::size_t leased() const { return parts.lender.leased_bytes(); }
  std::size_t next = 0;  // context of the first request
  ListedRequests arrivals{workload, *parts.catalog, parts.serving_clock};
  Prefetcher prefetcher{parts.services(), parts.serving_clock};
};

class PrefetcherTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void theNextOnesEntryIsReadAndTakenByIt() {
    for (const bool header_known : {true, false}) {
      Ahead made;
      if (!header_known) made.parts.catalog->details(made.next).forget_header();
      QVERIFY(!made.prefetcher.reads() && !made.prefetcher.reads_entry_of(made.next));
      const std::int64_t before = made.parts.serving_clock.monotonic_ns();
      QVERIFY(made.prefetcher.begin(made.arrivals) == made.next);
      QVERIFY(made.prefetcher.reads() && made.prefetcher.reads_entry_of(made.next));
      QVERIFY(!made.prefetcher.reads_entry_of(1 - made.next));
      made.read_all();
      QVERIFY(made.leased() > 0);
      QVERIFY(!made.prefetcher.take(made.arrivals));  // its request has not begun
      made.arrivals.pop();
      auto taken = made.prefetcher.take(made.arrivals);
      QVERIFY(taken.has_value() && taken->hit.context == made.next);
      QVERIFY(taken->start_ns > before && taken->start_ns < made.parts.serving_clock.monotonic_ns());
      QVERIFY(!made.prefetcher.reads() && !made.prefetcher.take(made.arrivals));
      KvCache cache(*made.parts.runtime->pool);
      made.parts.dram->read_failure = "device";  // nothing is left to read
      QVERIFY(load_whole(*taken->load, cache, false).has_value());
      QVERIFY(test::digest_of(cache) == test::digest_of(prefilled(made.parts, made.next).cache));
      taken.reset();
      QCOMPARE(made.leased(), std::size_t{0});
    }
  }

  // It is for one place in the sequence.
  void whatWasReadForAnotherRequestIsNotTaken() {
    Ahead made;
    QVERIFY(made.prefetcher.begin(made.arrivals) == made.next);
    made.arrivals.pop();
    made.arrivals.pop();
    QVERIFY(!made.prefetcher.take(made.arrivals));
    QVERIFY(made.prefetcher.reads());  // until it is dropped
    QVERIFY(made.prefetcher.drop() == made.next);
    QCOMPARE(made.leased(), std::size_t{0});
  }

  void whatIsNotStoredIsLookedAtOnce() {
    Ahead made(false);
    QVERIFY(!made.prefetcher.has_looked_at_next(made.arrivals));
    QVERIFY(!made.prefetcher.begin(made.arrivals));
    QVERIFY(!made.prefetcher.reads() && made.prefetcher.has_looked_at_next(made.arrivals));
    made.arrivals.pop();
    QVERIFY(!made.prefetcher.has_looked_at_next(made.arrivals));
    QVERIFY(!made.prefetcher.begin(made.arrivals));
    made.prefetcher.begin_run();  // places count from the start again
    QVERIFY(!made.prefetcher.has_looked_at_next(made.arrivals));
    QCOMPARE(made.leased(), std::size_t{0});
  }

  // It is in memory already.
  void anEntryInFlightIsNotReadAhead() {
    Ahead made(false);
    compute_original(made.parts, made.next, false);
    made.parts.dram->holds_writes = true;
    must(made.parts.store->commit({.context = made.parts.catalog->state(made.next).key,
                                   .kind = ActionKind::store,
                                   .from = {},
                                   .to = {.tier = 0},
                                   .reason = {}}));
    QVERIFY(!made.prefetcher.begin(made.arrivals));
    QVERIFY(!made.prefetcher.reads() && made.prefetcher.has_looked_at_next(made.arrivals));
  }

  void aTierThatDoesNotRespondIsNotRead() {
    Ahead made;
    made.parts.dram->away = true;
    QVERIFY(!made.prefetcher.begin(made.arrivals));
    QVERIFY(!made.prefetcher.reads() && made.prefetcher.has_looked_at_next(made.arrivals));
    QCOMPARE(made.leased(), std::size_t{0});
    QVERIFY(made.parts.catalog->state(made.next).placement.stored());
  }

  // A lost entry is out of the store at once, as its request may compute and read nothing. After any other failure the
  // request reads it again and counts what fails: nothing of that is said here.
  void whatFailsIsDroppedAndGivesItsBuffersBack_data() {
    QTest::addColumn<QString>("reason");
    QTest::addColumn<bool>("lost");
    QTest::newRow("a lost entry") << "device" << true;
    QTest::newRow("an entry that may be found again") << "unavailable" << false;
  }
  void whatFailsIsDroppedAndGivesItsBuffersBack() {
    QFETCH(QString, reason);
    QFETCH(bool, lost);
    Ahead made;
    made.parts.dram->holds_reads = true;
    QVERIFY(made.prefetcher.begin(made.arrivals) == made.next);
    QVERIFY(!made.prefetcher.pump() && made.prefetcher.reads());
    QVERIFY(made.leased() > 0);
    made.parts.sink.events.clear();
    made.parts.dram->fail_held_read(reason.toStdString());
    QVERIFY(made.prefetcher.pump() == made.next);
    QVERIFY(!made.prefetcher.reads() && !made.prefetcher.reads_entry_of(made.next));
    QCOMPARE(made.leased(), std::size_t{0});
    QVERIFY(made.prefetcher.has_looked_at_next(made.arrivals));  // it is not tried again
    QVERIFY(!made.prefetcher.pump());
    QCOMPARE(made.parts.catalog->state(made.next).placement.stored(), !lost);
    QCOMPARE(std::ranges::count_if(
                 made.parts.sink.events,
                 [](const Event& event) { return std::holds_alternative<events::ReadFailed>(event.payload); }),
             lost ? 1 : 0);
    if (!lost) QVERIFY(made.parts.sink.events.empty());
  }

  void whatFailsAtOnceIsNotRead() {
    Ahead made;
    made.parts.dram->read_failure = "device";
    (void)made.prefetcher.begin(made.arrivals);
    QVERIFY(!made.prefetcher.reads() && !made.prefetcher.reads_entry_of(made.next));
    made.arrivals.pop();
    QVERIFY(!made.prefetcher.take(made.arrivals));
    QCOMPARE(made.leased(), std::size_t{0});
  }

  void whatIsDroppedIsCanceled() {
    Ahead made;
    QVERIFY(!made.prefetcher.drop());
    made.parts.dram->holds_reads = true;
    QVERIFY(made.prefetcher.begin(made.arrivals) == made.next);
    QCOMPARE(made.parts.dram->held_reads(), std::size_t{1});
    QVERIFY(made.prefetcher.drop() == made.next);
    QCOMPARE(made.parts.dram->held_reads(), std::size_t{0});
    QCOMPARE(made.leased(), std::size_t{0});
    QVERIFY(!made.prefetcher.reads() && !made.prefetcher.drop() && !made.prefetcher.pump());
    made.arrivals.pop();
    QVERIFY(!made.prefetcher.take(made.arrivals));
  }
};

KV_TEST_GUILESS_MAIN(PrefetcherTest)

}  // namespace prefetcher_test

#include "prefetcher_test.moc"
