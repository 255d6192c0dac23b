// links: kv_base
// Virtual time by itself: who resumes when, and that the machine's threads keep the same promises.
#include <QtTest>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "core/ports/storage_tier.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"

namespace executor_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr double for_ever = std::numeric_limits<double>::infinity();

class ExecutorTest : public QObject {
  Q_OBJECT

 private slots:
  void waitingMovesTheClockByWhatIsWaited() {
    VirtualExecutor executor;
    const std::int64_t utc = executor.clock().utc_ns();
    executor.pass(3600);
    QCOMPARE(executor.clock().monotonic_ns(), std::int64_t{3'600'000'000'000});
    QCOMPARE(executor.clock().utc_ns() - utc, std::int64_t{3'600'000'000'000});
    QVERIFY(executor.clock().is_virtual());
    executor.pass(0);  // a look takes 10 us
    executor.pass(-1);
    QCOMPARE(executor.clock().monotonic_ns(), std::int64_t{3'600'000'020'000});
  }

  void bodiesRunInTheOrderOfTimeAndThenOfTheirBeginning() {
    VirtualExecutor executor;
    std::string order;
    std::vector<std::unique_ptr<Executor::Thread>> threads;
    const auto add = [&](char name, double seconds) {
      threads.push_back(executor.start(std::string(1, name), ThreadPriority::transfers, [&, name, seconds] {
        for (int i = 0; i < 2; ++i) {
          executor.pass(seconds);
          order += name;
        }
      }));
    };
    add('a', 3);
    add('b', 1);
    add('c', 1.5);
    add('d', 3);
    QCOMPARE(order, std::string());  // nobody runs before the caller waits
    threads.clear();
    // At 3 s: a and d have waited since 0 s and c since 1.5 s; at 6 s a began to wait before d.
    QCOMPARE(order, std::string("bcbadcad"));
    QCOMPARE(executor.clock().seconds(), 6.0);
  }

  void whoIsNotifiedResumesAtOnce() {
    VirtualExecutor executor;
    CompletionQueue queue(executor.clock());
    double got_at = -1;
    const auto reader = executor.start("reader", ThreadPriority::transfers, [&] {
      const auto completions = queue.wait(for_ever);
      if (completions.size() == 1) got_at = executor.clock().seconds();
    });
    const auto writer = executor.start("writer", ThreadPriority::transfers, [&] {
      executor.pass(0.25);
      queue.push({});
    });
    executor.pass(1);
    QCOMPARE(got_at, 0.25);
    QVERIFY(queue.wait(2).empty());
    QCOMPARE(executor.clock().seconds(), 3.0);
  }

  // A mutex that somebody holds while it waits for something else is not taken from it.
  void heldLocksAreWaitedFor() {
    VirtualExecutor executor;
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    std::string order;
    const auto waits = executor.start("waits", ThreadPriority::transfers, [&] {
      std::unique_lock lock(mutex);
      executor.clock().wait(lock, changed, for_ever, [&] { return open; });
      order += "waits ";
    });
    const auto holds = executor.start("holds", ThreadPriority::transfers, [&] {
      const std::lock_guard lock(mutex);
      open = true;
      executor.pass(1);
      order += "holds ";
    });
    executor.pass(2);
    QCOMPARE(order, std::string("holds waits "));
  }

  void aThreadOfTheMachineRunsBesideTheCaller() {
    Executor& executor = system_executor();
    QVERIFY(!executor.clock().is_virtual());
    std::mutex mutex;
    std::condition_variable changed;
    bool asked = false, answered = false;
    auto thread = executor.start("a name of more than 15 letters", ThreadPriority::transfers, [&] {
      std::unique_lock lock(mutex);
      executor.clock().wait(lock, changed, for_ever, [&] { return asked; });
      answered = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    QVERIFY(!executor.clock().wait(lock, changed, 0.01, [&] { return answered; }));
    asked = true;
    changed.notify_all();
    QVERIFY(executor.clock().wait(lock, changed, for_ever, [&] { return answered; }));
    lock.unlock();
    thread.reset();
  }
};

KV_TEST_GUILESS_MAIN(ExecutorTest)

}  // namespace executor_test

#include "executor_test.moc"
