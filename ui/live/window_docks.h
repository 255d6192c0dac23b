// The docks of one window, made from the registry: found by id, colored, brought to the front.
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QObject>
#include <map>

#include "ui/live/dock_registry.h"
#include "ui/look/theme.h"

namespace kvantage {

class WindowDocks : public QObject {
  Q_OBJECT
 public:
  /// Makes every dock of the registry; where they stand is for Layouts to say.
  WindowDocks(QMainWindow& window, const DockContext& context);
  ~WindowDocks() override;
  QDockWidget* dock(const QString& id) const { return docks_.at(id); }
  /// What the registry made for it.
  QWidget* body(const QString& id) const { return bodies_.at(id); }
  const std::map<QString, QDockWidget*>& all() const { return docks_; }
  /// Shows a dock and brings it before the tabs beside it.
  void bring_up(const QString& id);
  /// For menu and shortcut: shows a dock, brings it up where another tab covers it, and hides it only when it is seen.
  QAction* action(const QString& id) const { return actions_.at(id); }
  void set_theme(const Theme& theme);

 signals:
  /// One is to be seen.
  void aboutToShow();

 private:
  void make_action(const DockEntry& entry);
  void choose(const QString& id);
  void sync_titles();
  QMainWindow& window_;
  std::map<QString, QDockWidget*> docks_;
  std::map<QString, QWidget*> bodies_;
  std::map<QString, QAction*> actions_;
  bool titles_due_ = false;
};

}  // namespace kvantage
