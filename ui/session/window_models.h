// The data of one window, without widgets. Each part is made of those before it and outlives those behind it; the
// session outlives all of them.
#pragma once

#include <memory>

#include "core/ports/run_library.h"
#include "ui/live/frontier/model/frontier_driver.h"
#include "ui/runs/model/held_runs_model.h"
#include "ui/runs/model/replay_controller.h"
#include "ui/session/run_model.h"
#include "ui/session/session_switch.h"
#include "ui/session/settings_controller.h"

namespace kvantage {

struct WindowModels {
  /// `runs`: recorded ones; null: none can be replayed.
  WindowModels(Session& live, const std::shared_ptr<RunLibrary>& runs)
      : session(live),
        run(session),
        settings(session),
        driver(run, settings),
        replay(run, settings, session, runs),
        held(runs, run.frontier) {}
  WindowModels(const WindowModels&) = delete;
  WindowModels& operator=(const WindowModels&) = delete;

  SessionSwitch session;  // the live one, or a recorded run in its place
  RunModel run;
  SettingsController settings;
  FrontierDriver driver;
  ReplayController replay;
  HeldRunsModel held;  // runs that the Frontier shows beside the present one
};

}  // namespace kvantage
