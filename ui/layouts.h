// Named arrangements of the docks: built-in ones, and the user's own in the settings file. A dock that an arrangement does
// not know (made before there was that dock) goes behind those that stand in its area of the registry.
#pragma once

#include <QMainWindow>
#include <QSettings>
#include <QStringList>
#include <map>

#include "core/base/error.h"

class QDockWidget;

namespace kvantage {

class Layouts {
 public:
  Layouts(QMainWindow& window, std::map<QString, QDockWidget*> docks, QSettings& settings);
  static QStringList built_in();
  QStringList saved() const;
  void save(const QString& name);
  void remove(const QString& name);
  /// A built-in or saved layout; false when there is none of that name.
  bool apply(const QString& name);
  /// The docks as they stand now, as a file under this name.
  Status export_to(const QString& path, const QString& name) const;
  /// Takes a layout from a file, keeps it under its name (a number behind it where the name is taken) and applies it. On an
  /// error nothing has changed.
  Expected<QString> import_from(const QString& path);
  enum class Restored { yes, nothing_kept, not_possible };
  /// As it was when the window was last there.
  Restored restore_last();
  void save_last();

 private:
  void arrange(const QString& built_in_name);
  bool restore(const QByteArray& state);
  QString key(const QString& name) const;
  void place_others(const QList<QDockWidget*>& known, bool shown);
  void place(QDockWidget* dock, Qt::DockWidgetArea area);
  QMainWindow& window_;
  std::map<QString, QDockWidget*> docks_;
  QSettings& settings_;
};

}  // namespace kvantage
