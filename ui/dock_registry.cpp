#include "ui/dock_registry.h"

#include "ui/docks/contexts_dock.h"
#include "ui/docks/controls_dock.h"
#include "ui/docks/events_dock.h"
#include "ui/docks/hit_rates_dock.h"
#include "ui/docks/keep_map_dock.h"
#include "ui/docks/pipeline_dock.h"
#include "ui/docks/pool_dock.h"
#include "ui/docks/replay_dock.h"
#include "ui/docks/reproduce_dock.h"
#include "ui/docks/requests_dock.h"
#include "ui/docks/run_docks.h"
#include "ui/docks/sensitivity_dock.h"
#include "ui/docks/tiers_dock.h"

namespace kvantage {

const std::vector<DockEntry>& dock_registry() {
  using Context = const DockContext&;
  constexpr auto left = Qt::LeftDockWidgetArea, right = Qt::RightDockWidgetArea, bottom = Qt::BottomDockWidgetArea;
  static const std::vector<DockEntry> docks = {
      {"controls", "Controls", "Alt+1", "Policy, alpha, budgets, speeds, methods and load", left, true,
       [](Context c) -> QWidget* { return new ControlsDock(c.run, c.settings); }},
      {"requests", "Requests", "Alt+2", "Each request: question, answer, where TTFT went", bottom, true,
       [](Context c) -> QWidget* { return new RequestsDock(c.run.requests, c.run.selection); }},
      {"contexts", "Contexts", "Alt+3", "Each context: where it lies, how it is compressed, and why", bottom, true,
       [](Context c) -> QWidget* { return new ContextsDock(c.run, c.settings); }},
      {"tiers", "Tiers", "Alt+4", "What fills each tier, its loads and its counters", right, true,
       [](Context c) -> QWidget* { return new TiersDock(c.run); }},
      {"hitRates", "Hit rates", "Alt+5", "Share of requests, tokens or bytes served from each tier", right, true,
       [](Context c) -> QWidget* { return new HitRatesDock(c.run); }},
      {"sensitivity", "Sensitivity", "Alt+6", "How much quality each context loses by method and removed fraction",
       right, true, [](Context c) -> QWidget* { return new SensitivityDock(c.run.sensitivity, c.run.selection); }},
      {"events", "Events", "Alt+7", "What the engine did and why", bottom, true,
       [](Context c) -> QWidget* { return new EventsDock(c.run.log, c.run.selection); }},
      {"keepMap", "Keep map", "Alt+0", "Which tokens of a context a method keeps, and what is answered from them",
       bottom, true, [](Context c) -> QWidget* { return new KeepMapDock(c.run, c.options.inspector); }},
      {"pool", "Pool", "Ctrl+Alt+1", "Blocks of a paged pool, live, dead and shared, while tokens are evicted", bottom,
       false, [](Context c) -> QWidget* { return new PoolDock(c.options.walk_pool); }},
      {"runs", "Runs", "Alt+8", "Saved runs: compare, replay, report, export", bottom, true, make_runs_dock},
      {"replay", "Replay", "Alt+9", "Go through a recorded run again in all views", Qt::TopDockWidgetArea, false,
       [](Context c) -> QWidget* { return new ReplayDock(c.replay); }},
      {"pipeline", "Pipeline", "Ctrl+Alt+3", "What one request did when: reading, unpacking and computing, by layer",
       bottom, false, [](Context c) -> QWidget* { return new PipelineDock(c.run, c.options.spans); }},
      {"reproduce", "Reproduce", "Ctrl+Alt+2", "Figures of the papers, made anew here, beside what the papers report",
       bottom, false, make_reproduce_dock},
  };
  return docks;
}

}  // namespace kvantage
