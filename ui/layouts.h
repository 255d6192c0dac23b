// Named arrangements of the docks: built-in ones, and the user's own in the settings file.
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
  QMainWindow& window_;
  std::map<QString, QDockWidget*> docks_;
  QSettings& settings_;
};

}  // namespace kvantage
