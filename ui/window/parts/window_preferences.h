// The settings file of one window: damaged values are replaced, and the user is told what was wrong with it.
#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "ui/window/layout/layouts.h"

namespace kvantage {

class WindowPreferences {
  Q_DECLARE_TR_FUNCTIONS(WindowPreferences)
 public:
  /// `path` empty: the user's own file.
  explicit WindowPreferences(const QString& path);
  QSettings& file() { return file_; }
  /// Replaces values that make no sense; `docks`: ids of those that there are.
  void mend(const QStringList& docks);
  /// What was wrong, in a line; empty: nothing.
  QString notice(Layouts::Restored restored) const;

 private:
  QString path_, fault_, mended_;
  QSettings file_;
};

}  // namespace kvantage
