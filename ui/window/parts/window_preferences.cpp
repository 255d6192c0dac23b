#include "ui/window/parts/window_preferences.h"

#include "ui/files/settings_file.h"
#include "ui/files/settings_values.h"

namespace kvantage {

WindowPreferences::WindowPreferences(const QString& path)
    : path_(path.isEmpty() ? default_settings_file() : path),
      fault_(check_settings_file(path_)),
      file_(openable_settings_file(path_), QSettings::IniFormat) {}

void WindowPreferences::mend(const QStringList& docks) { mended_ = mend_settings_values(file_, docks); }

QString WindowPreferences::notice(Layouts::Restored restored) const {
  QStringList lines;
  if (!fault_.isEmpty())
    lines << fault_;
  else if (restored == Layouts::Restored::not_possible)
    lines << tr("%1: the saved dock arrangement is damaged, so the default layout is used. Arrange the docks again.")
                 .arg(path_);
  if (!mended_.isEmpty()) lines << mended_;
  return lines.join(QStringLiteral("; "));
}

}  // namespace kvantage
