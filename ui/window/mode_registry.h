// The modes of the window, one line each: what fills the window beside the mode bar. A mode is a folder below ui and a
// line in mode_registry.cpp: its button, menu entry, shortcut and theme follow from that line.
#pragma once

#include <QString>
#include <vector>

#include "ui/live/dock_registry.h"

namespace kvantage {

inline constexpr const char* live_mode = "live";    // the Frontier and the docks
inline constexpr const char* start_mode = "start";  // the start page, which is shown in Live as well while it loads

struct ModeEntry {
  QString id;                                    // object name of its page; never changes
  QString title;                                 // below its icon
  QString shortcut;                              // enters it
  QString tip;                                   // what it is for, in a line
  QString icon;                                  // as in icon()
  QWidget* (*make)(const DockContext& context);  // its page; a Themed one gets the colors. Null: the window has it
};

const std::vector<ModeEntry>& mode_registry();

}  // namespace kvantage
