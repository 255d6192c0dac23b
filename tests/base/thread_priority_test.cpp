// links: kv_base
// What priorities are for the system: the engine is preempted by the window, what may come at any time by both, and
// what a thread starts has its rank.
#include "core/base/thread_priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <cstring>
#include <thread>

#include "tests/support/test_program.h"

namespace thread_rank_test {

using namespace kvantage;

namespace {

struct Standing {
  int nice = 0;
  std::uint64_t turn_ns = 0;  // asked of the kernel; 0: unknown
};

Standing standing() {
  Standing found{::getpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid))), 0};
  std::array<std::uint32_t, 16>
      attributes{};  // struct sched_attr: size, policy, flags (2), nice, priority, runtime (2), ...
  if (::syscall(SYS_sched_getattr, 0, attributes.data(), 48U, 0U) == 0)
    std::memcpy(&found.turn_ns, &attributes[6], sizeof found.turn_ns);
  return found;
}

/// Of a thread of that rank, and of one that it started.
std::pair<Standing, Standing> standing_of(ThreadPriority rank) {
  std::pair<Standing, Standing> found;
  std::thread([&] {
    rank_this_thread(rank);
    found.first = standing();
    std::thread([&] { found.second = standing(); }).join();
  }).join();
  return found;
}

}  // namespace

class ThreadPriorityTest : public QObject {
  Q_OBJECT

 private slots:
  void theFirstGoesBeforeTheNext() {
    const int before = standing().nice;
    if (before > 2) QSKIP("the whole program was started behind others");
    std::vector<int> nice;
    for (const ThreadPriority rank : {ThreadPriority::window, ThreadPriority::curves, ThreadPriority::other_curves,
                                      ThreadPriority::engine, ThreadPriority::forecasts}) {
      const auto [own, started] = standing_of(rank);
      QCOMPARE(started.nice, own.nice);
      nice.push_back(own.nice);
    }
    QCOMPARE(nice.front(), before);
    for (std::size_t i = 1; i < nice.size(); ++i)
      QVERIFY2(nice[i] > nice[i - 1], qPrintable(QString("%1: %2 after %3").arg(i).arg(nice[i]).arg(nice[i - 1])));
    QCOMPARE(standing().nice, before);  // the thread that started them keeps its priority
  }

  void onlyTheWindowAndTransfersHaveShortTurns() {
    const std::uint64_t default_turn = standing().turn_ns;
    if (default_turn == 0) QSKIP("this kernel knows no turns of a thread's own");
    const int before = standing().nice;
    for (const ThreadPriority rank : {ThreadPriority::window, ThreadPriority::transfers}) {
      QCOMPARE(standing_of(rank).first.turn_ns, std::uint64_t{100'000});
      QCOMPARE(standing_of(rank).first.nice, before);
    }
    std::thread([&] {
      rank_this_thread(ThreadPriority::window);
      for (const ThreadPriority rank :
           {ThreadPriority::curves, ThreadPriority::other_curves, ThreadPriority::engine, ThreadPriority::forecasts})
        QCOMPARE(standing_of(rank).first.turn_ns, default_turn);  // though a thread of short turns started it
    }).join();
  }
};

KV_TEST_GUILESS_MAIN(ThreadPriorityTest)

}  // namespace thread_rank_test

#include "thread_priority_test.moc"
