// links: kv_runtime
// A clock that leaps is ahead of the one behind it by the sum of its leaps; waits and dates are those of the one
// behind.
#include "core/runtime/leaping_clock.h"

#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace leaping_clock_test {

using namespace kvantage;
using namespace kvantage::test;

class LeapingClockTest : public QObject {
  Q_OBJECT

 private slots:
  void itIsAheadByItsLeaps() {
    ManualClock behind;
    LeapingClock clock(behind);
    behind.advance_seconds(2);
    QCOMPARE(clock.monotonic_ns(), behind.monotonic_ns());
    clock.leap(1.5);
    clock.leap(0);
    clock.leap(-4);
    QCOMPARE(clock.monotonic_ns(), std::int64_t{3'500'000'000});
    behind.advance_seconds(1);
    clock.leap(0.25e-9);  // at least to the end
    QCOMPARE(clock.monotonic_ns(), std::int64_t{4'500'000'001});
    QCOMPARE(clock.utc_ns(), behind.utc_ns());
    QVERIFY(!clock.is_virtual());
  }

  void waitsTakeTheirTime() {
    VirtualExecutor executor;
    LeapingClock clock(executor.clock());
    clock.leap(100);
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const std::int64_t start = executor.clock().monotonic_ns();
    QVERIFY(!clock.wait(lock, never, 2, [] { return false; }));
    QCOMPARE(executor.clock().monotonic_ns() - start, std::int64_t{2'000'000'000});
    QCOMPARE(clock.monotonic_ns() - executor.clock().monotonic_ns(), std::int64_t{100'000'000'000});
    QVERIFY(clock.is_virtual());
  }
};

KV_TEST_GUILESS_MAIN(LeapingClockTest)

}  // namespace leaping_clock_test

#include "leaping_clock_test.moc"
