// Runs and Replay put into the window: what one of them asks for, the others do.
#pragma once

#include "ui/live/dock_registry.h"

namespace kvantage {

QWidget* make_runs_dock(const DockContext& context);

}  // namespace kvantage
