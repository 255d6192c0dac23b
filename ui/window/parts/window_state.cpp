#include "ui/window/parts/window_state.h"

#include <utility>

#include "ui/live/controls/controls_dock.h"

namespace kvantage {

WindowState::WindowState(const Parts& parts, const WindowOptions& options, QObject* parent)
    : QObject(parent),
      parts_(parts),
      start_at_once_(options.start_at_once),
      run_without_engine_(options.run_without_engine) {
  connect(&parts_.models.run, &RunModel::stateChanged, this, &WindowState::show);
  connect(&parts_.models.run, &RunModel::snapshotChanged, this,
          [this] { show_actions(parts_.models.run.state()); });  // of profiling
  connect(&parts_.models.replay, &ReplayController::activeChanged, this, &WindowState::show_replay);
  connect(&parts_.views.modes(), &WindowModes::changed, this, [this] { show(parts_.models.run.state()); });
}

void WindowState::show(RunState state) {
  const WindowModels& models = parts_.models;
  show_actions(state);
  const bool loading = state == RunState::loading || (state == RunState::failed && !models.run.snapshot());
  if (parts_.views.modes().is_live()) parts_.pages.show_live(loading);
  show_controls(loading);
  if (state == RunState::ready && start_at_once_ && !models.replay.active()) {
    start_at_once_ = false;
    parts_.models.session.live().start();
  }
  if (state == RunState::failed) show_failure();
}

void WindowState::show_actions(RunState state) {
  const SessionSwitch& session = parts_.models.session;
  parts_.actions.show_state(state);
  parts_.actions.show_profiling(state, session.gauges().profiling_all, session.shows_live());
}

void WindowState::show_controls(bool loading) {
  ControlsDock& controls = *parts_.views.body<ControlsDock>(QStringLiteral("controls"));
  const bool replays = parts_.models.replay.active();
  if (!loading && !replays && !controls.isEnabled()) {
    controls.setEnabled(true);
    if (parts_.views.modes().is_live()) controls.alpha().setFocus();  // the arrow keys move what matters most
    parts_.guides.begin();
  }
  if (loading || replays) controls.setEnabled(false);
}

void WindowState::show_failure() {
  const RunModel& run = parts_.models.run;
  ReplayController& replay = parts_.models.replay;
  Banner& banner = parts_.pages.banner();
  if (!run.snapshot()) {
    if (!replay.active() && !run_without_engine_.isEmpty())
      replay.open_file(std::exchange(run_without_engine_, QString()));
    banner.withdraw(run.log.last_error());  // the page says it
  } else if (banner.isHidden()) {
    banner.show_message(QStringLiteral("error"), tr("The engine stopped unexpectedly. See Events for details."));
  }
}

void WindowState::show_replay(bool active) {
  parts_.actions.show_replay(active);
  if (active)
    parts_.views.docks().bring_up(QStringLiteral("replay"));
  else
    parts_.views.docks().dock(QStringLiteral("replay"))->hide();
  show(parts_.models.run.state());
}

}  // namespace kvantage
