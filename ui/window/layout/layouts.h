// Named arrangements of the docks: built-in ones, and the user's own in the settings file. A dock that an arrangement
// does not know (made before there was that dock) goes behind those that stand in its area of the registry. With the
// docks go the pages that are open in them and the series that are hidden on the Frontier; a state of before those
// leaves them as they are.
#pragma once

#include <QCoreApplication>
#include <QMainWindow>
#include <QMap>
#include <QSettings>
#include <QStringList>
#include <functional>
#include <map>
#include <optional>

#include "core/base/error.h"

class QDockWidget;
class QTabWidget;

namespace kvantage {

class Layouts {
  Q_DECLARE_TR_FUNCTIONS(Layouts)
 public:
  Layouts(QMainWindow& window, std::map<QString, QDockWidget*> docks, QSettings& settings);
  /// How hidden series are read and restored; without it, layouts do not include them.
  void keep_hidden_series(std::function<QStringList()> hidden, std::function<void(const QStringList&)> hide);
  static QStringList built_in();
  /// What a menu calls it: those that are built in in the language of the window.
  static QString title(const QString& name);
  QStringList saved() const;
  void save(const QString& name);
  void remove(const QString& name);
  /// A built-in or saved layout; false when there is none of that name.
  bool apply(const QString& name);
  /// The same for a window that opens, without an undo step.
  void begin_with(const QString& built_in_name);
  /// Restores the docks as they were before the last layout was applied or imported; a second call undoes that. False
  /// if none was.
  bool go_back();
  bool can_go_back() const { return !before_.isEmpty(); }
  /// Called before the docks get another arrangement.
  void before_change(std::function<void()> act) { before_change_ = std::move(act); }
  /// Called when can_go_back may have changed.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }
  /// How the docks stand, to put them back with set_state; false when the window cannot take it.
  QByteArray state() const;
  bool set_state(const QByteArray& state) { return restore(state); }
  /// The docks as they stand now, as a file under this name.
  Status export_to(const QString& path, const QString& name) const;
  /// Takes a layout from a file, keeps it under its name (a number behind it where the name is taken) and applies it.
  /// On an error nothing has changed.
  Expected<QString> import_from(const QString& path);
  enum class Restored { yes, nothing_kept, not_possible };
  /// As it was when the window was last there.
  Restored restore_last();
  void save_last();

 private:
  struct Parts {
    QByteArray docks;              // of QMainWindow::saveState
    QMap<QString, QString> pages;  // the open one of each tab widget, by dock and place in it
    std::optional<QStringList> hidden;
  };
  static Parts parts_of(const QByteArray& state);
  QList<std::pair<QString, QTabWidget*>> page_holders() const;
  void arrange(const QString& built_in_name);
  bool fits_beside(const QDockWidget* left, const QList<QDockWidget*>& right, const QList<QDockWidget*>& below) const;
  bool restore(const QByteArray& state);
  void remember(const QByteArray& before);
  QString key(const QString& name) const;
  void place_others(const QList<QDockWidget*>& known, bool shown);
  void place(QDockWidget* dock, Qt::DockWidgetArea area);
  QMainWindow& window_;
  std::map<QString, QDockWidget*> docks_;
  QSettings& settings_;
  QByteArray before_;
  std::function<void()> before_change_, changed_;
  std::function<QStringList()> hidden_;
  std::function<void(const QStringList&)> hide_;
};

}  // namespace kvantage
