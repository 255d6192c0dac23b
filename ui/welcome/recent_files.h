// What was opened lately, latest first, kept in the window's settings.
#pragma once

#include <QCoreApplication>
#include <QMenu>
#include <QSettings>
#include <QStringList>
#include <functional>

namespace kvantage {

class RecentFiles {
  Q_DECLARE_TR_FUNCTIONS(RecentFiles)
 public:
  static constexpr int limit = 10;

  explicit RecentFiles(QSettings& settings) : settings_(settings) {}
  QStringList paths() const;
  void add(const QString& path);
  void remove(const QString& path);
  void clear();

 private:
  QSettings& settings_;
};

/// A menu of them, filled when it opens, with an entry that empties the list.
QMenu* make_recent_menu(RecentFiles& recent, const std::function<void(const QString& path)>& open, QWidget* parent);

}  // namespace kvantage
