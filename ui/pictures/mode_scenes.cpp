// The other modes: the start page, runs with their dialogs, and the figures of the papers.
#include <QTabWidget>
#include <QTimer>
#include <algorithm>

#include "ui/papers/figures_page.h"
#include "ui/pictures/scenes.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

/// When the running figure has reported its end.
void connect_to_end(FigureJob& job, const std::function<void()>& act) {
  QObject::connect(
      &job, &FigureJob::runningChanged, &job, [&job, act] { QTimer::singleShot(0, &job, act); },
      Qt::SingleShotConnection);
}

/// Of a result, the first table that is drawn.
int drawn_table(const FigureResult& result) {
  const auto drawn = std::ranges::find_if(result.tables, [](const FigureTable& one) { return one.plot.has_value(); });
  return drawn == result.tables.end() ? 0 : static_cast<int>(drawn - result.tables.begin());
}

}  // namespace

void ScreenshotScenes::show_figure(const QString& name) {
  FiguresPage& page = *stage_.views.body<FiguresPage>(QStringLiteral("papers"));
  stage_.views.show(QStringLiteral("papers"));
  page.choose(name);
  if (page.tabs().indexOf(&page.result()) >= 0) page.tabs().setCurrentWidget(&page.result());
  if (const KeptFigure* kept = page.result().shown()) page.result().tabs().setCurrentIndex(drawn_table(kept->result));
}

void ScreenshotScenes::start_page() {
  add(
      QStringLiteral("start page"), [this] { stage_.views.show(QLatin1String(start_mode)); },
      [this] { stage_.views.modes().leave(); });
}

void ScreenshotScenes::mode(const ModeEntry& entry) {
  if (entry.id == QLatin1String(live_mode) || entry.id == QLatin1String(start_mode)) return;
  const bool chosen = entry.id == QStringLiteral("tokens");
  add(
      QStringLiteral("mode ") + entry.title,
      [this, id = entry.id, chosen] {
        overview();
        if (chosen) choose_context();
        stage_.views.show(id);
      },
      [this] {
        stage_.views.modes().leave();
        stage_.models.run.selection.clear();
      },
      chosen ? 4 : 2);
}

void ScreenshotScenes::runs() {
  auto* runs = stage_.views.body<RunsDock>(QStringLiteral("runs"));
  if (!runs || !stage_.options.runs) return;
  const auto choose = [this, runs](int count) {
    overview();
    stage_.views.show(QStringLiteral("runs"));
    QStringList ids;
    for (int row = 0; row < runs->model().rowCount() && row < count; ++row)
      ids << runs->model().index(row, 0).data(RunsModel::run_id_role).toString();
    runs->choose(ids);
  };
  // What there is to compare and to go through is known when the list has been read.
  add(
      QStringLiteral("runs compared"),
      [runs, choose] {
        choose(3);
        if (runs->model().rowCount() > 1) runs->compare_chosen();
      },
      [runs] { emit runs->compare_page().backRequested(); }, 8);
  add(
      QStringLiteral("dialog save comparison"),
      [runs, choose] {
        choose(3);
        if (runs->model().rowCount() < 2) return;
        runs->compare_chosen();
        runs->compare_page().ask_and_save(QStringLiteral("csv"));
      },
      [runs] {
        close_dialogs();
        emit runs->compare_page().backRequested();
      },
      8);
  add(
      QStringLiteral("dialog report"),
      [runs, choose] {
        choose(1);
        runs->ask_for_report();
      },
      close_dialogs);
  add(
      QStringLiteral("dialog delete runs"),
      [runs, choose] {
        choose(3);
        runs->ask_to_delete();
      },
      close_dialogs);
  add(
      QStringLiteral("dialog export run"),
      [runs, choose] {
        choose(1);
        runs->ask_for_export();
      },
      close_dialogs);
  add(
      QStringLiteral("dialog import run"),
      [runs, choose] {
        choose(1);
        runs->ask_for_import();
      },
      close_dialogs);
  // The newest finished run: the live one is still running.
  add(
      QStringLiteral("replay"),
      [this, runs] {
        overview();
        if (runs->model().rowCount() > 1)
          emit runs->replayRequested(runs->model().index(1, 0).data(RunsModel::run_id_role).toString());
      },
      [this] { stage_.models.replay.close(); }, 6);
  add(
      QStringLiteral("dialog replay run file"),
      [runs, choose] {
        choose(1);
        runs->ask_for_replay_file();
      },
      close_dialogs);
}

void ScreenshotScenes::figures() {
  FiguresPage& page = *stage_.views.body<FiguresPage>(QStringLiteral("papers"));
  const auto leave = [this] { stage_.views.modes().leave(); };
  page.results().load();
  const QString first = to_q(paper_figures().front().name);
  for (const int tab : {0, 1})
    add(
        QStringLiteral("figures ") + plain_title(page.tabs().tabText(tab)),
        [this, &page, first, tab] {
          stage_.views.show(QStringLiteral("papers"));
          page.choose(first);
          page.tabs().setCurrentIndex(tab);
        },
        leave);
  for (int paper = 0; paper < page.model().rowCount(); ++paper)
    add(
        QStringLiteral("claims %1").arg(paper + 1),
        [this, &page, paper] {
          stage_.views.show(QStringLiteral("papers"));
          page.tree().setCurrentIndex(page.model().index(paper, 0));
        },
        leave);
  QString kept;
  for (const PaperFigure& figure : paper_figures()) {
    const QString name = to_q(figure.name);
    if (!page.results().newest(name)) continue;
    kept = name;
    add(
        QStringLiteral("figure ") + QString(name).replace('/', ' '), [this, name] { show_figure(name); }, leave, 2);
  }
  if (!kept.isEmpty()) {
    const auto close = [leave] {
      close_dialogs();
      leave();
    };
    add(
        QStringLiteral("dialog remove result"),
        [this, &page, kept] {
          show_figure(kept);
          page.result().ask_to_remove();
        },
        close);
    add(
        QStringLiteral("dialog export result"),
        [this, &page, kept] {
          show_figure(kept);
          page.result().ask_and_save(QStringLiteral("csv"));
        },
        close);
  }
  if (!stage_.options.figures) return;
  add(
      QStringLiteral("dialog end figure"),
      [this, &page] {
        stage_.views.show(QStringLiteral("papers"));
        page.choose(to_q(paper_figures()[1].name));
        page.start();
        stage_.window.close();  // which asks
      },
      [this, &page, leave] {
        close_dialogs();
        connect_to_end(page.job(), [this] { stage_.banner.hide(); });
        page.job().cancel();
        leave();
      });
}

}  // namespace kvantage
