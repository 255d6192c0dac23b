// View > Language. The choice is kept in the settings and takes effect at the next start.
#pragma once

#include <QMenu>
#include <QSettings>
#include <functional>

namespace kvantage {

/// Code of the chosen language, as for install_language; empty: that of the system.
QString kept_language(const QSettings& settings);
/// `changed` is called after a choice that is not in effect yet.
QMenu* make_language_menu(QSettings& settings, const std::function<void()>& changed, QWidget* parent);

}  // namespace kvantage
