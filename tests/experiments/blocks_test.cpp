// links: kv_reports
// Cells in blocks: every block measures each cell once, in orders of their own; intervals are over the blocks.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/experiments/blocks.h"
#include "tests/support/test_program.h"

namespace blocks_test {

using namespace kvantage;

class BlocksTest : public QObject {
  Q_OBJECT
 private slots:
  void everyBlockMeasuresEachCellOnce() {
    std::vector<std::vector<std::size_t>> orders(5);
    QVERIFY(run_blocks(5, 8, 3, [&](std::size_t cell, int block) -> Status {
      orders[static_cast<std::size_t>(block)].push_back(cell);
      return {};
    }));
    std::set<std::vector<std::size_t>> different;
    for (auto order : orders) {
      different.insert(order);
      std::ranges::sort(order);
      for (std::size_t c = 0; c < order.size(); ++c) QCOMPARE(order[c], c);
      QCOMPARE(order.size(), std::size_t{8});
    }
    QVERIFY(different.size() > 1);
  }

  void theSeedGivesTheOrder() {
    const auto order_of = [](std::uint64_t seed) {
      std::vector<std::size_t> order;
      const Status ran = run_blocks(2, 10, seed, [&](std::size_t cell, int) -> Status {
        order.push_back(cell);
        return {};
      });
      return ran ? order : std::vector<std::size_t>{};
    };
    QCOMPARE(order_of(7), order_of(7));
    QVERIFY(order_of(7) != order_of(8));
  }

  void theFirstErrorEndsIt() {
    int measured = 0;
    const Status ran = run_blocks(3, 4, 1, [&](std::size_t, int block) -> Status {
      ++measured;
      return block == 1 ? Status(fail(ErrorCode::cancelled, "interrupted")) : Status();
    });
    QVERIFY(!ran && ran.error().code == ErrorCode::cancelled);
    QCOMPARE(measured, 5);
  }

  // scipy.stats.t.interval(0.95, 3, loc=2.5, scale=scipy.stats.sem([1, 2, 3, 4])): 0.445739743239121, 4.554260256760879
  void meansHaveStudentsInterval() {
    const auto measured = measured_mean(std::vector<double>{1, 2, 3, 4});
    QCOMPARE(measured.low, 2.5);
    QVERIFY(std::fabs(measured.low_interval->low - 0.445740) < 1e-3);
    QVERIFY(std::fabs(measured.high_interval->high - 4.554260) < 1e-3);
    QVERIFY(!measured_mean(std::vector<double>{1}).low_interval);
  }

  // A machine that is three times as slow in one block changes no ratio within it.
  void ratiosAreOfTheSameBlock() {
    const auto ratio = measured_ratio(std::vector<double>{2, 6, 2}, std::vector<double>{1, 3, 1});
    QCOMPARE(ratio.low, 2.0);
    QCOMPARE(ratio.low_interval->low, 2.0);
    QCOMPARE(ratio.low_interval->high, 2.0);
  }

  void quotientsAreAsWideAsTheirEnds() {
    const auto around = [](double value, double half) {
      const Interval interval{value - half, value + half};
      return MeasuredSpan{value, value, interval, interval};
    };
    const auto ratio = quotient(around(4, 2), around(2, 1));
    QCOMPARE(ratio.low, 2.0);
    QCOMPARE(ratio.low_interval->low, 2.0 / 3);
    QCOMPARE(ratio.low_interval->high, 6.0);
    QVERIFY(!quotient(around(4, 2), around(2, 2)).low_interval);  // may be divided by 0
  }

  void aSpanIsFromTheSmallestToTheLargest() {
    const auto span = span_of({exactly(3), exactly(1), {2, 5, {}, Interval{4, 6}}});
    QCOMPARE(span.low, 1.0);
    QCOMPARE(span.high, 5.0);
    QCOMPARE(span.low_interval->high, 1.0);
    QCOMPARE(span.high_interval->high, 6.0);
    const auto saved = scaled({2, 4, Interval{1, 3}, Interval{4, 5}}, -1, 1);
    QCOMPARE(saved.low, -3.0);
    QCOMPARE(saved.high, -1.0);
    QCOMPARE(saved.low_interval->low, -4.0);
    QCOMPARE(saved.high_interval->high, 0.0);
  }
};

KV_TEST_GUILESS_MAIN(BlocksTest)

}  // namespace blocks_test

#include "blocks_test.moc"
