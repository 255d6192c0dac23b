// Icons of the window: drawings in the theme's ink. Each is made once: Qt keeps what it paints of an icon by the icon's
// identity, so that one that is made again and again leaves a picture each time.
#pragma once

#include <QIcon>
#include <functional>

#include "ui/look/theme.h"

namespace kvantage {

/// `name` as in resources/icons; sharp at 1x and 2x, grayed when disabled.
QIcon icon(const QString& name, const Theme& theme);
QIcon application_icon();

/// The same icon for the same key. With more than max_kept_icons all are made again. In the window's thread.
QIcon kept_icon(const QString& key, const std::function<QIcon()>& make);
inline constexpr int max_kept_icons = 512;
int kept_icon_count();

}  // namespace kvantage
