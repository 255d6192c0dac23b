// Single values of the settings file that make no sense: a hand wrote them, or another version. Each falls back to its
// default, and that is said.
#pragma once

#include <QSettings>
#include <QStringList>

namespace kvantage {

/// Takes values away that are out of range, so that whoever reads them gets the default; a text size stays and is
/// limited. Returns one line that names each key and value; empty: all is well. `docks`: ids that there are.
QString mend_settings_values(QSettings& settings, const QStringList& docks);

}  // namespace kvantage
