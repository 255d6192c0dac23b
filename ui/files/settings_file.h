// The file that the window keeps its own settings in: layouts, theme, fonts, recent files. It is text that people edit
// and that a full disk cuts off, so it is looked at before it is used.
#pragma once

#include <QString>

namespace kvantage {

/// The default path of the window's settings.
QString default_settings_file();

/// What QSettings may open for `path`: the path itself, or a place that holds nothing and keeps nothing where reading
/// it would wait (a pipe, a device) or fill the memory (more than 16 MiB).
QString openable_settings_file(const QString& path);

/// Empty when the file can be used or is not there yet. Else one line for the banner: what is wrong and how to fix it;
/// a file that is no settings file is then kept beside, with .broken behind its name, and the window starts with
/// defaults.
QString check_settings_file(const QString& path);

}  // namespace kvantage
