// Work for the eyes only: many changes become one refresh, at most every few tens of milliseconds, and none while the
// widget is hidden.
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>

class QWidget;

namespace kvantage {

class LazyRefresh : public QObject {
 public:
  /// `refresh` runs in the event loop after `invalidate`, when `widget` is visible.
  LazyRefresh(QWidget& widget, std::function<void()> refresh, int interval_ms = 50);
  void invalidate();
  /// Refreshes now if something changed, visible or not: for exports and tests.
  void flush();
  int refresh_count() const { return count_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void run();
  QWidget& widget_;
  std::function<void()> refresh_;
  QTimer timer_;
  bool dirty_ = false;
  int count_ = 0;
};

}  // namespace kvantage
