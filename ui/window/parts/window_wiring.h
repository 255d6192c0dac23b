// What parts of the window do for each other, a function a concern.
#pragma once

#include "ui/session/window_models.h"
#include "ui/window/last_session.h"
#include "ui/window/parts/window_guides.h"
#include "ui/window/parts/window_pages.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_options.h"

namespace kvantage {

/// Settings of the run become those of the controls, and what is wrong with either is said.
void connect_settings(WindowModels& models, WindowPages& pages);
/// Pinned runs and their names are kept for the next start.
void keep_held_runs(HeldRunsModel& held, QSettings& kept);
/// Views follow a moment that was gone to at once.
void connect_replay(QWidget& window, WindowModels& models, WindowPages& pages);
/// An annotation leads to where it happened.
void connect_time_line(WindowPages& pages, ViewLinks& links);
/// What the Frontier leads to: a measured point to its run, another model, and an alpha where nobody has chosen one.
void connect_frontier(WindowModels& models, WindowPages& pages, WindowActions& actions, ViewLinks& links,
                      const WindowOptions& options);
/// Keeps workload, model and settings for the next start. Null: it is not known what is served, or it is a lesson's.
SessionKeeper* keep_session(WindowModels& models, Lessons& lessons, const WindowOptions& options, QSettings& kept,
                            QObject* parent);

}  // namespace kvantage
