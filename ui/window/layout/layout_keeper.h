// Writes the arrangement down as it changes, not only when the window closes: a program that is killed starts again as
// it was.
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/live/window_docks.h"
#include "ui/window/layout/layouts.h"

namespace kvantage {

class LayoutKeeper : public QObject {
  Q_OBJECT
 public:
  static constexpr int delay_ms = 400;

  LayoutKeeper(QMainWindow& window, WindowDocks& docks, Layouts& layouts, QSettings& settings);
  /// Keeps nothing from `off` until it was switched on as often: before the window has its size, while it presents or
  /// teaches.
  void suspend(bool off);
  bool suspended() const { return holds_ > 0; }
  /// Writes now.
  void keep();
  /// Something that goes with the arrangement is not as it was: written soon.
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Layouts& layouts_;
  QSettings& settings_;
  QTimer timer_;
  int holds_ = 1;
};

}  // namespace kvantage
