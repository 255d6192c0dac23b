#include "ui/live/dock_registry.h"

#include <QCoreApplication>

#include "ui/live/contexts/contexts_dock.h"
#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/live/pool/pool_dock.h"
#include "ui/live/requests/events_dock.h"
#include "ui/live/requests/pipeline_dock.h"
#include "ui/live/requests/requests_dock.h"
#include "ui/live/tiers/hit_rates_dock.h"
#include "ui/live/tiers/tiers_dock.h"
#include "ui/runs/replay_dock.h"

namespace kvantage {
namespace {

struct DockRegistry {
  Q_DECLARE_TR_FUNCTIONS(DockRegistry)
};

}  // namespace

const std::vector<DockEntry>& dock_registry() {
  using Context = const DockContext&;
  constexpr auto left = Qt::LeftDockWidgetArea, right = Qt::RightDockWidgetArea, bottom = Qt::BottomDockWidgetArea;
  static const std::vector<DockEntry> docks = {
      {"controls", DockRegistry::tr("Controls"), "Alt+1",
       DockRegistry::tr("Policy, α, budgets, speeds, candidates and arrivals"), left, true,
       [](Context c) -> QWidget* { return new ControlsDock(c.run, c.settings, c.options.methods); }},
      {"requests", DockRegistry::tr("Requests"), "Alt+2",
       DockRegistry::tr("Requests: question, answer and TTFT breakdown"), bottom, true,
       [](Context c) -> QWidget* { return new RequestsDock(c.run.requests, c.run.selection); }},
      {"contexts", DockRegistry::tr("Contexts"), "Alt+3", DockRegistry::tr("Contexts: placement, compression and why"),
       bottom, true, [](Context c) -> QWidget* { return new ContextsDock(c.run, c.settings); }},
      {"tiers", DockRegistry::tr("Tiers"), "Alt+4", DockRegistry::tr("Occupancy, loads and counters of each tier"),
       right, true, [](Context c) -> QWidget* { return new TiersDock(c.run); }},
      {"hitRates", DockRegistry::tr("Hit rates"), "Alt+5",
       DockRegistry::tr("Share of requests, tokens or bytes served from each tier"), right, true,
       [](Context c) -> QWidget* { return new HitRatesDock(c.run); }},
      {"sensitivity", DockRegistry::tr("Sensitivity"), "Alt+6",
       DockRegistry::tr("Quality loss of each context by method and removed fraction"), right, true,
       [](Context c) -> QWidget* { return new SensitivityDock(c.run, c.options.presets_folder); }},
      {"events", DockRegistry::tr("Events"), "Alt+7", DockRegistry::tr("What the engine does and why"), bottom, true,
       [](Context c) -> QWidget* { return new EventsDock(c.run.log, c.run.selection); }},
      {"pool", DockRegistry::tr("Pool"), "Ctrl+Alt+1",
       DockRegistry::tr("The pool of KV blocks during eviction and compaction"), bottom, false,
       [](Context c) -> QWidget* { return new PoolDock(c.options.walk_pool, &c.run.pool, &c.run.selection); }},
      {"replay", DockRegistry::tr("Replay"), "Alt+9", DockRegistry::tr("Replay a recorded run in all views"),
       Qt::TopDockWidgetArea, false, [](Context c) -> QWidget* { return new ReplayDock(c.replay); }},
      {"pipeline", DockRegistry::tr("Pipeline"), "Ctrl+Alt+3",
       DockRegistry::tr("Timeline of one request: read, unpack and compute by layer"), bottom, false,
       [](Context c) -> QWidget* { return new PipelineDock(c.run, c.options.spans); }},
  };
  return docks;
}

}  // namespace kvantage
