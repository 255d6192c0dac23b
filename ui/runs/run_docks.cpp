#include "ui/runs/run_docks.h"

#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace kvantage {

QWidget* make_runs_dock(const DockContext& context) {
  auto* dock = new RunsDock(context.options.runs, context.options.encode_parquet);
  ReplayController& replay = context.replay;
  RunModel& run = context.run;
  QObject::connect(dock, &RunsDock::said, dock, context.say);
  QObject::connect(dock, &RunsDock::replayRequested, &replay, &ReplayController::open);
  QObject::connect(dock, &RunsDock::replayFileRequested, &replay, &ReplayController::open_file);
  const auto show_present = [dock, &run] {
    if (!run.has_stash()) dock->set_present_run(to_q(run.info().run_id));
  };
  QObject::connect(&run, &RunModel::infoChanged, dock, show_present);
  // A run that begins or ends is in the list at once.
  QObject::connect(&run, &RunModel::stateChanged, dock, [dock, show_present] {
    show_present();
    if (dock->isVisible()) dock->model().refresh();
  });
  return dock;
}

}  // namespace kvantage
