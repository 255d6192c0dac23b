// The menu of layouts: built-in ones, the user's own, to and from files.
#pragma once

#include <QMenu>
#include <functional>

#include "ui/window/layout/layouts.h"

namespace kvantage {

/// Filled when it opens. `say` gets what has to be said, at a level as in Banner.
QMenu* make_layout_menu(Layouts& layouts, const std::function<void(const QString& level, const QString& text)>& say,
                        QWidget* parent);

}  // namespace kvantage
