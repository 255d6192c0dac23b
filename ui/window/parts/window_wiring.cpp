#include "ui/window/parts/window_wiring.h"

#include <QCoreApplication>

#include "ui/live/frontier/model/first_alpha.h"
#include "ui/text/words.h"
#include "ui/widgets/refresh_rest.h"

namespace kvantage {
namespace {

struct WindowWiring {
  Q_DECLARE_TR_FUNCTIONS(WindowWiring)
};

void choose_first_alpha(WindowModels& models, Banner& banner) {
  auto* first = new FirstAlpha(models.run, models.settings, &banner);
  QUndoStack& steps = models.settings.undo_stack();
  QObject::connect(first, &FirstAlpha::chosen, &banner, [&banner, &steps](double alpha, double before) {
    banner.offer(
        QStringLiteral("info"),
        WindowWiring::tr("α is set to the knee of the predicted curve, %1: beyond it, quality costs much more TTFT.")
            .arg(number_text(alpha)),
        {WindowWiring::tr("Back to %1").arg(number_text(before)), WindowWiring::tr("Undo"),
         [&steps] { steps.undo(); }});
  });
}

}  // namespace

void connect_settings(WindowModels& models, WindowPages& pages) {
  RunModel& run = models.run;
  SettingsController& settings = models.settings;
  Banner& banner = pages.banner();
  const auto warn = [&banner](const QString& text) { banner.show_message(QStringLiteral("warning"), text); };
  set_tier_settings(run, settings.committed().tiers);
  QObject::connect(&run, &RunModel::settingsChanged, &settings, &SettingsController::adopt);
  FrontierChart& chart = pages.frontier().chart();
  QObject::connect(&run, &RunModel::settingsChanged, &chart,
                   [&chart](const SessionSettings& now) { chart.set_quality_metric(to_q(now.quality_metric)); });
  QObject::connect(&run, &RunModel::messageRaised, &banner, &Banner::show_message);
  QObject::connect(&settings, &SettingsController::rejected, &banner, warn);
  QObject::connect(&settings, &SettingsController::committedChanged, &run,
                   [&run](const SessionSettings& now) { set_tier_settings(run, now.tiers); });
}

void keep_held_runs(HeldRunsModel& held, QSettings& kept) {
  static constexpr const char* key = "frontier/held";
  held.restore(Json::parse(from_q(kept.value(key).toString()), nullptr, false));
  QObject::connect(&held, &HeldRunsModel::stateChanged, &held,
                   [&held, &kept] { kept.setValue(key, to_q(dump_json(held.state()))); });
}

void connect_replay(QWidget& window, WindowModels& models, WindowPages& pages) {
  ReplayController& replay = models.replay;
  QObject::connect(&replay, &ReplayController::moved, &window, [&window, &replay] {
    rest_before_refreshes(window);
    if (!replay.playing()) hurry_refreshes(window, replay.scrubbing() ? Hurry::in_turn : Hurry::at_once);
  });
  Banner& banner = pages.banner();
  QObject::connect(&replay, &ReplayController::failed, &banner,
                   [&banner](const QString& message) { banner.show_message(QStringLiteral("warning"), message); });
}

void connect_time_line(WindowPages& pages, ViewLinks& links) {
  QObject::connect(&pages.time_line(), &TimeLine::annotationChosen, &links, [&links](const TimeAnnotation& chosen) {
    if (chosen.mark.kind == RunMark::fault) emit links.viewWanted(QStringLiteral("events"));
    if (chosen.mark.kind == RunMark::setting || chosen.mark.kind == RunMark::policy)
      emit links.viewWanted(QStringLiteral("controls"));
  });
}

void connect_frontier(WindowModels& models, WindowPages& pages, WindowActions& actions, ViewLinks& links,
                      const WindowOptions& options) {
  FrontierPage& page = pages.frontier();
  FrontierChart& chart = page.chart();
  page.set_held(models.held);
  QObject::connect(&page, &FrontierPage::runRequested, &links, &ViewLinks::runWanted);
  QObject::connect(&models.held, &HeldRunsModel::heldChanged, &chart,
                   [&chart, &held = models.held] { chart.set_held(held.held()); });
  chart.set_held(models.held.held());
  QObject::connect(&page.chart(), &FrontierChart::measuredPointClicked, &links,
                   [&links, has_runs = options.runs != nullptr](int, const QString& run) {
                     if (has_runs && !run.isEmpty())
                       emit links.runWanted(run);
                     else
                       emit links.viewWanted(QStringLiteral("requests"));
                   });
  QObject::connect(&page, &FrontierPage::modelWanted, &actions, [&actions] {
    if (const auto use_model = actions.start_offers().use_model) use_model();
  });
  if (options.choose_alpha) choose_first_alpha(models, pages.banner());
}

SessionKeeper* keep_session(WindowModels& models, Lessons& lessons, const WindowOptions& options, QSettings& kept,
                            QObject* parent) {
  // A lesson goes back to what was served before.
  if (options.workload_path.isEmpty() || !options.begin.lesson.isEmpty()) return nullptr;
  auto* keeper = new SessionKeeper(
      models.settings, kept, options.workload_path,
      [&lessons, &replay = models.replay] { return lessons.lesson() != nullptr || replay.active(); }, parent);
  if (options.model_path)
    QObject::connect(&models.run, &RunModel::infoChanged, keeper,
                     [keeper, &live = models.session.live(), model = *options.model_path] {
                       if (!live.info().model_name.empty()) keeper->keep_model(model);  // whatever fails later
                     });
  return keeper;
}

}  // namespace kvantage
