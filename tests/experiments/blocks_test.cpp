// links: kv_reports
// Cells in blocks: every block measures each cell once, in orders of their own.
#include <algorithm>
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
};

KV_TEST_GUILESS_MAIN(BlocksTest)

}  // namespace blocks_test

#include "blocks_test.moc"
