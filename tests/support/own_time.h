// Time that a test spends itself. A busy machine takes the processor away from a thread that could run; the kernel
// counts for how long, and that time is left out here.
#pragma once

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QEvent>
#include <QThread>
#include <algorithm>
#include <fstream>

namespace kvantage::test {

/// Milliseconds since start(), without those in which the calling thread waited for a processor.
class OwnTimer {
 public:
  void start() {
    wall_.start();
    waited_ns_ = waited_ns();
  }
  qint64 elapsed() const { return std::max<qint64>(0, wall_.nsecsElapsed() - (waited_ns() - waited_ns_)) / 1'000'000; }

 private:
  /// Of this thread, since it began; 0 where the kernel does not count it.
  static qint64 waited_ns() {
    std::ifstream stream("/proc/thread-self/schedstat");
    qint64 ran = 0, waited = 0;
    return stream >> ran >> waited ? waited : 0;
  }

  QElapsedTimer wall_;
  qint64 waited_ns_ = 0;
};

/// Runs the event loop for so long of the test's own time: everything that was due by then has run, however busy the
/// machine is. QTest::qWait() may return without.
inline void settle(int ms) {
  OwnTimer timer;
  timer.start();
  for (;;) {
    const qint64 left = ms - timer.elapsed();
    QCoreApplication::processEvents(QEventLoop::AllEvents, static_cast<int>(std::max<qint64>(1, left)));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    if (left <= 0) return;
    QThread::msleep(static_cast<unsigned long>(std::min<qint64>(10, left)));
  }
}

}  // namespace kvantage::test
