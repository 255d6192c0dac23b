// The window as the state of its session needs it: which page Live shows, which controls work, and what begins by
// itself once the session is ready.
#pragma once

#include "ui/session/window_models.h"
#include "ui/window/parts/window_guides.h"
#include "ui/window/parts/window_pages.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_options.h"

namespace kvantage {

class WindowState : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    WindowModels& models;
    WindowPages& pages;
    WindowViews& views;
    WindowActions& actions;
    WindowGuides& guides;
  };
  /// Follows the run, the modes and a replay from now on.
  WindowState(const Parts& parts, const WindowOptions& options, QObject* parent);
  void show(RunState state);

 private:
  void show_actions(RunState state);
  void show_controls(bool loading);
  void show_failure();
  void show_replay(bool active);

  Parts parts_;
  bool start_at_once_;
  QString run_without_engine_;  // a file
};

}  // namespace kvantage
