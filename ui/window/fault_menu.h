// Faults for teaching as actions: the presets, for every tier in a folder, as undoable as the controls.
#pragma once

#include <QMenu>

#include "ui/session/settings_controller.h"

namespace kvantage {

/// One submenu per tier that can have faults; filled when it opens, the present choice is checked.
QMenu* make_fault_menu(SettingsController& settings, QWidget* parent);

/// "ssd: Bit flips at 5 %, seed 7", a line per tier with faults; empty without.
QString faults_of_session(const SessionSettings& settings);

}  // namespace kvantage
