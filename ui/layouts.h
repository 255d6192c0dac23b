// Named arrangements of the docks: built-in ones, and the user's own in the settings file. A dock that an arrangement does
// not know (made before there was that dock) goes behind those that stand in its area of the registry.
#pragma once

#include <QMainWindow>
#include <QSettings>
#include <QStringList>
#include <map>

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
  /// As it was when the window was last closed.
  bool restore_last();
  void save_last();

 private:
  void arrange(const QString& built_in_name);
  bool restore(const QByteArray& state);
  void place_others(const QList<QDockWidget*>& known, bool shown);
  void place(QDockWidget* dock, Qt::DockWidgetArea area);
  QMainWindow& window_;
  std::map<QString, QDockWidget*> docks_;
  QSettings& settings_;
};

}  // namespace kvantage
