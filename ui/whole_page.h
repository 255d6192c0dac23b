// A page that takes all of the window between its bars: the docks are hidden while it is shown, and as before
// afterwards.
#pragma once

#include <QByteArray>
#include <QMainWindow>
#include <QStackedWidget>

#include "ui/layout_keeper.h"
#include "ui/window_docks.h"

namespace kvantage {

class WholePage : public QObject {
  Q_OBJECT
 public:
  /// `page` is one of `pages`; which of the others is shown without it is for the window to say.
  WholePage(QMainWindow& window, QStackedWidget& pages, QWidget& page, WindowDocks& docks, LayoutKeeper& keeper);
  bool shown() const { return shown_; }
  void set_shown(bool shown) { shown ? enter() : leave(); }
  void enter();
  void leave();

 signals:
  void changed(bool shown);

 private:
  QMainWindow& window_;
  QStackedWidget& pages_;
  QWidget& page_;
  WindowDocks& docks_;
  LayoutKeeper& keeper_;
  QByteArray state_before_;
  bool shown_ = false;
};

}  // namespace kvantage
