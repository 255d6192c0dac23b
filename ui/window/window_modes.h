// The modes of one window, made from the registry: a bar at the left, an action each, and the page that fills the
// window. In Live the docks are there; any other mode hides them, and they are as before afterwards.
#pragma once

#include <QAction>
#include <QByteArray>
#include <QMainWindow>
#include <QStackedWidget>
#include <QToolBar>
#include <map>
#include <vector>

#include "ui/live/window_docks.h"
#include "ui/window/layout/layout_keeper.h"
#include "ui/window/mode_registry.h"

namespace kvantage {

class WindowModes : public QObject {
  Q_OBJECT
 public:
  /// Makes the page of every mode that has one of its own and adds it to `pages`. Which page Live shows is for the
  /// window to say, when `changed` tells that it is there again.
  WindowModes(QMainWindow& window, QStackedWidget& pages, WindowDocks& docks, LayoutKeeper& keeper,
              const DockContext& context);
  /// The page of a mode that the window has itself.
  void set_page(const QString& id, QWidget* page) { pages_by_id_[id] = page; }
  bool has(const QString& id) const { return actions_.contains(id); }
  /// Null for Live.
  QWidget* page(const QString& id) const;
  QAction* action(const QString& id) const { return actions_.at(id); }
  QString current() const { return current_; }
  bool is_live() const { return current_ == QLatin1String(live_mode); }
  void enter(const QString& id);
  void leave() { enter(QLatin1String(live_mode)); }
  QToolBar& bar() { return *bar_; }
  void set_theme(const Theme& theme);

 signals:
  void changed(const QString& id);

 private:
  void add(const ModeEntry& entry);
  void hide_docks();

  QMainWindow& window_;
  QStackedWidget& pages_;
  WindowDocks& docks_;
  LayoutKeeper& keeper_;
  QToolBar* bar_;
  std::map<QString, QWidget*> pages_by_id_;
  std::map<QString, QAction*> actions_;
  QString current_ = QLatin1String(live_mode);
  QByteArray state_before_;
};

}  // namespace kvantage
