// Presenter mode: the whole screen, large text, only the docks that were chosen for it, no bars. Esc leaves, and all
// is as before. Which docks it shows is what it showed when it was last left; its text has a size of its own.
#pragma once

#include <QByteArray>
#include <QMainWindow>
#include <QSettings>
#include <QShortcut>

#include "ui/live/window_docks.h"
#include "ui/window/layout/layout_keeper.h"

namespace kvantage {

class Presenter : public QObject {
  Q_OBJECT
 public:
  static constexpr int default_percent = 140;

  Presenter(QMainWindow& window, WindowDocks& docks, LayoutKeeper& keeper, QSettings& settings);
  bool active() const { return active_; }
  void toggle() { active_ ? leave() : enter(); }
  void enter();
  void leave();

 signals:
  /// The text shall have this size now, in percent.
  void fontWanted(int percent);
  void changed(bool active);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QList<QWidget*> bars() const;
  QStringList shown_docks() const;
  void share_room();
  QMainWindow& window_;
  WindowDocks& docks_;
  LayoutKeeper& keeper_;
  QSettings& settings_;
  QShortcut* escape_;
  bool active_ = false;
  int percent_before_ = 100;
  QByteArray state_before_;
  Qt::WindowStates window_before_;
};

}  // namespace kvantage
