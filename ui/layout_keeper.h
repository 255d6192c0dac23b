// Writes the arrangement down as it changes, not only when the window closes: a program that is killed starts again as it was.
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/layouts.h"
#include "ui/window_docks.h"

namespace kvantage {

class LayoutKeeper : public QObject {
  Q_OBJECT
 public:
  static constexpr int delay_ms = 400;

  LayoutKeeper(QMainWindow& window, WindowDocks& docks, Layouts& layouts, QSettings& settings);
  /// Keeps nothing while `off`: before the window has its size, or while it presents.
  void suspend(bool off);
  bool suspended() const { return suspended_; }
  /// Writes now.
  void keep();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void changed();
  Layouts& layouts_;
  QSettings& settings_;
  QTimer timer_;
  bool suspended_ = true;
};

}  // namespace kvantage
