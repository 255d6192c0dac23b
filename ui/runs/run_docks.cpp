#include "ui/runs/run_docks.h"

#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

// What other views want of the list of runs, which comes to the front for it.
void take_run_links(RunsDock& dock, const DockContext& context) {
  ViewLinks& links = context.links;
  const auto show = [&links] { emit links.viewWanted(QStringLiteral("runs")); };
  QObject::connect(&links, &ViewLinks::runsWanted, &dock, [&dock, show](const QStringList& run_ids) {
    show();
    dock.show_runs(run_ids);
  });
  QObject::connect(&links, &ViewLinks::runWanted, &dock, [&dock, show](const QString& run_id) {
    show();
    dock.open_run(run_id);
  });
  QObject::connect(
      &links, &ViewLinks::runFileWanted, &dock,
      [&dock, show, say = context.say, can_import = context.options.runs != nullptr](const QString& path) {
        if (!can_import) {
          say(QStringLiteral("warning"),
              RunsDock::tr("%1 is a recorded run, but this window has no run database. Start kvantage with --db FILE.")
                  .arg(path));
          return;
        }
        show();
        dock.files().import_run(path);
      });
}

}  // namespace

QWidget* make_runs_dock(const DockContext& context) {
  auto* dock = new RunsDock(context.options.runs, context.options.encode_parquet);
  dock->compare_page().follow(context.run.selection);
  dock->set_held(context.held);
  ReplayController& replay = context.replay;
  RunModel& run = context.run;
  QObject::connect(dock, &RunsDock::said, dock, context.say);
  take_run_links(*dock, context);
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
