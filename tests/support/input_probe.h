// How long an input waits: a thread beside the window's presses a key that no view knows, every few milliseconds,
// through the queue that the platform's plugin puts its input into; counted is the time until the window's loop hands
// it out.
#pragma once

#include <QCoreApplication>
#include <QInputDevice>
#include <QKeyEvent>
#include <QTest>
#include <QWindow>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/base/random.h"

namespace kvantage::test {

class InputProbe : public QObject {
 public:
  static constexpr int key = Qt::Key_F35;

  explicit InputProbe(QWindow& window, double every_ms = 7) : window_(window), every_ms_(every_ms) {
    qApp->installEventFilter(this);
    QInputDevice::primaryKeyboard();  // made by who asks first
    finger_ = std::thread([this] { press(); });
  }
  ~InputProbe() override { stop(); }

  /// Milliseconds that keys waited, in order. Takes what is still in flight.
  const std::vector<double>& stop() {
    stopping_ = true;
    while (!ended_) QCoreApplication::processEvents();  // under Qt Test the finger is held until its key was taken
    if (finger_.joinable()) finger_.join();
    return waited_ms_;
  }

 protected:
  bool eventFilter(QObject* receiver, QEvent* event) override {
    if (receiver != &window_ || event->type() != QEvent::KeyPress || static_cast<QKeyEvent*>(event)->key() != key)
      return false;
    const double now = now_ms();
    // A hand does not stop because the window does: keys that it would have pressed meanwhile would all have been taken
    // now.
    for (double pressed = pressed_ms_; pressed <= now; pressed += next_ms(missed_)) waited_ms_.push_back(now - pressed);
    return false;  // the window looks at it as at any key
  }

 private:
  static double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double next_ms(Random& random) const { return every_ms_ * (0.5 + random.uniform()); }

  void press() {
    Random random(17);
    for (;;) {
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(next_ms(random)));
      if (stopping_) break;
      pressed_ms_ = now_ms();
      qt_handleKeyEvent(&window_, QEvent::KeyPress, key, Qt::NoModifier);
    }
    ended_ = true;
  }

  QWindow& window_;
  double every_ms_;
  Random missed_{18};
  std::atomic<bool> stopping_{false}, ended_{false};
  std::atomic<double> pressed_ms_{0};
  std::vector<double> waited_ms_;
  std::thread finger_;
};

}  // namespace kvantage::test
