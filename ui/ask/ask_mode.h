// Ask put into the window.
#pragma once

#include "ui/live/dock_registry.h"

namespace kvantage {

QWidget* make_ask_page(const DockContext& context);

}  // namespace kvantage
