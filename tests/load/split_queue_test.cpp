// links: kv_base kv_runtime
// The pieces between two threads: who gets which, as the controller says, and who is woken by what.
#include "core/load/split_queue.h"

#include <QtTest>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace split_queue_test {

using namespace kvantage;
using namespace kvantage::test;

/// A second to compute, to load or to unpack each.
ComputeOrLoadCosts even_costs(int pieces) {
  const std::vector<double> seconds(static_cast<std::size_t>(pieces), 1.0);
  return {.compute = seconds, .load = seconds, .unpack = std::vector<double>(seconds.size(), 0.0)};
}

class SplitQueueTest : public QObject {
  Q_OBJECT

 private slots:
  void eachSideTakesItsPiecesUntilTheyMeet() {
    VirtualExecutor executor;
    SplitQueue queue(even_costs(4), 2, executor.clock());
    QCOMPARE(queue.claim_front(), std::optional(0));
    QCOMPARE(queue.claim_back(), std::optional(3));
    QCOMPARE(queue.front(), 1);
    QVERIFY(!queue.all_claimed());
    queue.computed();
    QCOMPARE(queue.claim_front(), std::optional(1));
    QVERIFY(!queue.claim_front());  // so many are computed, and no more
    QCOMPARE(queue.claim_back(), std::optional(2));
    QVERIFY(queue.all_claimed() && !queue.claim_back());
    QCOMPARE(queue.front(), 2);
  }

  void itIsOverWhenAllIsClaimedAndTheLoaderHasNothingInFlight() {
    VirtualExecutor executor;
    SplitQueue queue(even_costs(2), 1, executor.clock());
    QVERIFY(queue.claim_back());
    queue.end_loading();
    QVERIFY(queue.loading_ended() && !queue.all_claimed() && !queue.over());
    QVERIFY(queue.claim_front());
    QVERIFY(queue.over());
    SplitQueue other(even_costs(1), 0, executor.clock());
    QVERIFY(other.claim_back() && other.all_claimed() && !other.loading_ended() && !other.over());
    other.end_loading();
    QVERIFY(other.over());
    SplitQueue nothing(even_costs(0), {}, executor.clock());
    QVERIFY(!nothing.claim_front() && !nothing.claim_back() && nothing.all_claimed() && !nothing.over());
  }

  void whatTheLoaderGivesBackIsComputed() {
    VirtualExecutor executor;
    SplitQueue queue(even_costs(5), 0, executor.clock());
    QCOMPARE(queue.claim_back(), std::optional(4));
    QCOMPARE(queue.claim_back(), std::optional(3));
    queue.give_back(4);
    QVERIFY(!queue.claim_back());
    for (int piece = 0; piece < 4; ++piece) {
      QCOMPARE(queue.claim_front(), std::optional(piece));
      queue.computed();
    }
    QVERIFY(queue.all_claimed() && !queue.claim_front());
  }

  // The controller is asked with the time of the clock, nothing else: one that is asked beside it says the same.
  void itDecidesAsItsControllerDoesNow() {
    Random random(11);
    for (int round = 0; round < 200; ++round) {
      ManualClock clock;
      ComputeOrLoadCosts costs;
      const int pieces = 1 + static_cast<int>(random.below(12));
      for (int piece = 0; piece < pieces; ++piece) {
        costs.compute.push_back(0.01 + random.uniform());
        costs.load.push_back(0.01 + random.uniform());
        costs.unpack.push_back(0.1 * random.uniform());
      }
      SplitQueue queue(costs, {}, clock);
      SplitController controller(costs);
      for (int turn = 0; turn < 40; ++turn) {
        clock.advance_seconds(0.3 * random.uniform());
        const double now = clock.seconds();
        switch (random.below(4)) {
          case 0:
            QCOMPARE(queue.claim_front(), controller.claim_front(now));
            break;
          case 1:
            QCOMPARE(queue.claim_back(), controller.claim_back(now));
            break;
          case 2:
            queue.computed();
            controller.computed(now);
            break;
          default:
            queue.loaded();
            controller.loaded(now);
        }
        QCOMPARE(queue.front(), controller.front());
        QCOMPARE(queue.all_claimed(), controller.all_claimed());
      }
    }
  }

  void aWaitEndsWithTheNextChange_data() {
    using Change = std::function<void(SplitQueue&)>;
    QTest::addColumn<Change>("change");
    const auto row = [](const char* name, Change change) { QTest::newRow(name) << std::move(change); };
    row("a piece was computed", [](SplitQueue& queue) { queue.computed(); });
    row("a piece was loaded", [](SplitQueue& queue) { queue.loaded(); });
    row("pieces were given back", [](SplitQueue& queue) { queue.give_back(1); });
    row("the loader ended", [](SplitQueue& queue) { queue.end_loading(); });
    row("the last piece was claimed from the front", [](SplitQueue& queue) { (void)queue.claim_front(); });
  }
  void aWaitEndsWithTheNextChange() {
    QFETCH(std::function<void(SplitQueue&)>, change);
    VirtualExecutor executor;
    SplitQueue queue(even_costs(2), 1, executor.clock());
    QVERIFY(queue.claim_back());
    const std::uint64_t seen = queue.changes();
    const auto other = executor.start("other", ThreadPriority::transfers, [&] {
      executor.pass(0.25);
      change(queue);
    });
    queue.wait(seen, 10);
    QCOMPARE(executor.clock().seconds(), 0.25);
    QVERIFY(queue.changes() != seen);
    queue.wait(seen, 10);  // what changed before is not waited for
    QCOMPARE(executor.clock().seconds(), 0.25);
  }

  void aWaitEndsAfterItsTime() {
    VirtualExecutor executor;
    SplitQueue queue(even_costs(3), 2, executor.clock());
    const std::uint64_t seen = queue.changes();
    const auto other = executor.start("other", ThreadPriority::transfers, [&] {
      executor.pass(0.25);
      (void)queue.claim_front();  // leaves nobody anything new to do
    });
    queue.wait(seen, 2);
    QCOMPARE(executor.clock().seconds(), 2.0);
    QCOMPARE(queue.changes(), seen);
    QCOMPARE(queue.front(), 1);
  }
};

KV_TEST_GUILESS_MAIN(SplitQueueTest)

}  // namespace split_queue_test

#include "split_queue_test.moc"
