// Work for the eyes only: many changes become one refresh, at most every few tens of milliseconds, and none while the
// widget is hidden.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>

class QWidget;

namespace kvantage {

class LazyRefresh : public QObject {
  Q_OBJECT
 public:
  /// Refreshes of a window take turns, so that its loop rests between two; of charts, which take milliseconds to paint,
  /// one is in a frame.
  enum class Turns { any_time, one_a_frame };
  static constexpr int turn_ms = 25;
  /// Whoever has waited longest has the next turn: on a machine that is busy, all views are late by as much. Who has
  /// waited for so long waits for no rest of the window's loop any more.
  static constexpr int patience_ms = 500;

  /// `refresh` runs in the event loop after `invalidate`, when `widget` is visible.
  LazyRefresh(QWidget& widget, std::function<void()> refresh, int interval_ms = 50, Turns turns = Turns::any_time);
  void invalidate();
  /// The same for what a hand waits for: in the next turn of the event loop.
  void invalidate_at_once();
  /// What waits already does so for its turn alone.
  void hurry();
  /// Not even for that.
  void run_if_seen();
  /// Something changed that is not shown yet.
  bool waiting() const { return dirty_; }
  /// Refreshes now if something changed, visible or not: for exports and tests.
  void flush();
  int refresh_count() const { return count_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  friend class LatestTurns;
  void run();
  int wait_for_turn();
  bool ripe() const { return dirty_ && since_.isValid() && since_.elapsed() >= interval_ms_; }
  QWidget& widget_;
  std::function<void()> refresh_;
  QTimer timer_{this};
  int interval_ms_;
  Turns turns_;
  bool dirty_ = false, at_once_ = false;
  int count_ = 0;
  QElapsedTimer since_;  // when what is not shown yet first changed, or was first to be seen
};

}  // namespace kvantage
