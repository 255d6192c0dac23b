// Icons of the window: drawings in the theme's ink.
#pragma once

#include <QIcon>

#include "ui/look/theme.h"

namespace kvantage {

/// `name` as in resources/icons; sharp at 1x and 2x, grayed when disabled.
QIcon icon(const QString& name, const Theme& theme);
QIcon application_icon();

}  // namespace kvantage
