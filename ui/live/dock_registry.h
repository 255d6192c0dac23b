// The docks of the window, one line each. A dock is a file below ui/live and a line in dock_registry.cpp: menu entry,
// shortcut, place in every layout and theme follow from that line.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "ui/live/frontier/model/frontier_driver.h"
#include "ui/live/view_links.h"
#include "ui/runs/model/held_runs_model.h"
#include "ui/runs/model/replay_controller.h"
#include "ui/session/run_model.h"
#include "ui/session/session_switch.h"
#include "ui/session/settings_controller.h"
#include "ui/window/window_options.h"

class QWidget;

namespace kvantage {

/// What the window owns and a dock or the page of a mode may use. All of it outlives them.
struct DockContext {
  RunModel& run;
  SettingsController& settings;
  FrontierDriver& driver;
  ReplayController& replay;
  SessionSwitch& session;
  HeldRunsModel& held;
  const WindowOptions& options;
  std::function<void(const QString& level, const QString& text)> say;  // in the banner; level as in Banner
  ViewLinks& links;
};

struct DockEntry {
  QString id;                                    // object name: layouts are saved under it, so it never changes
  QString title;                                 // as on the tab
  QString shortcut;                              // shows and hides it; empty: none
  QString tip;                                   // what the dock shows, in a line
  Qt::DockWidgetArea area;                       // where a layout that does not know it puts it, behind what is there
  bool at_first;                                 // whether such a layout shows it
  QWidget* (*make)(const DockContext& context);  // a widget that is Themed gets the colors
};

const std::vector<DockEntry>& dock_registry();

}  // namespace kvantage
