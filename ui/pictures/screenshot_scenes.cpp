#include "ui/pictures/screenshot_scenes.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QProgressDialog>
#include <QPushButton>
#include <QScrollBar>
#include <QStyle>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <memory>

#include "ui/charts/chart_table.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"
#include "ui/widgets/save_question.h"
#include "ui/window/main_window.h"

namespace kvantage {
namespace {

QString plain_title(QString text) { return text.remove('&').remove(QStringLiteral("…")).trimmed(); }

/// What is in a menu, in the window's language.
QString menu_text(const char* english) {
  for (const char* context : {"kvantage::WindowActions", "LayoutMenuText", "kvantage::ChartHandle"})
    if (QString text = QCoreApplication::translate(context, english); text != QString::fromUtf8(english)) return text;
  return QString::fromUtf8(english);
}

void trigger(const MainWindow& window, const char* english) {
  for (QAction* action : window.findChildren<QAction*>())
    if (action->text() == menu_text(english)) return action->trigger();
}

/// When the running figure has reported its end.
void connect_once(FigureJob& job, const std::function<void()>& act) {
  QObject::connect(
      &job, &FigureJob::runningChanged, &job, [&job, act] { QTimer::singleShot(0, &job, act); },
      Qt::SingleShotConnection);
}

void close_dialogs() {
  for (QWidget* top : QApplication::topLevelWidgets())
    if (qobject_cast<QDialog*>(top) || qobject_cast<QMenu*>(top)) top->close();
}

class Scenes {
 public:
  explicit Scenes(MainWindow& window) : window_(window) {}

  std::vector<ScreenshotScene> all() {
    start_page();
    for (const QString& name : Layouts::built_in())
      add(QStringLiteral("layout ") + name, [this, name] { layout(name); });
    for (const DockEntry& entry : dock_registry()) dock(entry);
    for (const ModeEntry& entry : mode_registry()) mode(entry);
    decoding();
    frontier();
    alpha_drag();
    runs();
    dialogs();
    figures();  // the live run resumes a moment after the last of them, which menus tolerate
    menus();
    walks();
    presenter();
    add(
        QStringLiteral("banner"),
        [this] {
          window_.banner().show_message(QStringLiteral("warning"),
                                        QStringLiteral("notes.txt: is UTF-16; save it as UTF-8 and open it again"));
        },
        [this] { window_.banner().dismiss(); });
    add(
        QStringLiteral("banner store"),
        [this] {
          const auto of_program = [](const char* text) { return QCoreApplication::translate("WindowProgram", text); };
          window_.banner().offer(
              QStringLiteral("info"), of_program("Another process uses this store; this session uses a separate one."),
              {of_program("Retry"), of_program("Reopen this session with the shared store, once it is free"), [] {}});
        },
        [this] { window_.banner().dismiss(); });
    for (const int percent : {160, 200})
      add(
          QStringLiteral("writing %1").arg(percent),
          [this, percent] {
            overview();
            window_.set_font_size(percent);
          },
          [this] { window_.set_font_size(100); });
    return std::move(scenes_);
  }

 private:
  void add(const QString& name, std::function<void()> prepare, std::function<void()> clean = {}, int settles = 1) {
    scenes_.push_back({name, std::move(prepare), std::move(clean), settles});
  }
  void layout(const QString& name) { window_.layouts().begin_with(name); }
  void overview() { layout(Layouts::built_in().front()); }
  void choose_context() {
    const auto snapshot = window_.run().snapshot();
    if (snapshot && !snapshot->contexts.empty())
      window_.run().selection.choose_context(to_q(snapshot->contexts.front().id));
  }

  /// Of a result, the first table that is drawn.
  static int drawn_table(const FigureResult& result) {
    const auto drawn = std::ranges::find_if(result.tables, [](const FigureTable& one) { return one.plot.has_value(); });
    return drawn == result.tables.end() ? 0 : static_cast<int>(drawn - result.tables.begin());
  }
  void show_figure(const QString& name) {
    FiguresPage& page = window_.figures();
    window_.show_view(QStringLiteral("papers"));
    page.choose(name);
    if (page.tabs().indexOf(&page.result()) >= 0) page.tabs().setCurrentWidget(&page.result());
    if (const KeptFigure* kept = page.result().shown()) page.result().tabs().setCurrentIndex(drawn_table(kept->result));
  }

  void start_page() {
    add(
        QStringLiteral("start page"), [this] { window_.show_start_page(true); },
        [this] { window_.show_start_page(false); });
  }

  void dock(const DockEntry& entry) {
    // What is about one context shows one.
    const bool chosen = entry.id == QStringLiteral("contexts") || entry.id == QStringLiteral("sensitivity");
    const auto bring_up = [this, id = entry.id, chosen] {
      overview();
      if (chosen) choose_context();
      window_.docks().bring_up(id);
    };
    const auto let_go = [this] { window_.run().selection.clear(); };
    add(QStringLiteral("dock ") + entry.title, bring_up, let_go, chosen ? 4 : 1);
    for (QTabWidget* pages : window_.dock(entry.id)->findChildren<QTabWidget*>())
      for (int i = 1; i < pages->count(); ++i)
        add(
            QStringLiteral("dock %1 %2").arg(entry.title, plain_title(pages->tabText(i)).remove('?')),
            [bring_up, pages, i] {
              bring_up();
              pages->setCurrentIndex(i);
            },
            [pages, let_go] {
              pages->setCurrentIndex(0);
              let_go();
            },
            chosen ? 4 : 3);  // a page behind another one reads its models only now
  }

  void mode(const ModeEntry& entry) {
    if (entry.id == QLatin1String(live_mode) || entry.id == QLatin1String(start_mode)) return;
    const bool chosen = entry.id == QStringLiteral("tokens");
    add(
        QStringLiteral("mode ") + entry.title,
        [this, id = entry.id, chosen] {
          overview();
          if (chosen) choose_context();
          window_.show_view(id);
        },
        [this] {
          window_.modes().leave();
          window_.run().selection.clear();
        },
        chosen ? 4 : 2);
  }

  // Below what Controls shows at first.
  void decoding() {
    add(
        QStringLiteral("controls decoding"),
        [this] {
          overview();
          window_.docks().bring_up(QStringLiteral("controls"));
          window_.controls().ensureWidgetVisible(&window_.controls().decoding());
        },
        [this] { window_.controls().verticalScrollBar()->setValue(0); });
  }

  void frontier() {
    QToolButton& explain = window_.findChild<FrontierPage*>()->explain_button();
    add(
        QStringLiteral("frontier explain"),
        [this, &explain] {
          overview();
          explain.setChecked(true);
        },
        [&explain] { explain.setChecked(false); }, 3);
  }

  // Frames of an animation: alpha is dragged to speed and released, answers arrive, then the same to quality. The
  // engine continues to serve between the frames.
  void alpha_drag() {
    QSlider& slider = window_.controls().alpha().slider();
    const auto handle = [this, &slider] {
      const int grip = slider.style()->pixelMetric(QStyle::PM_SliderLength, nullptr, &slider);
      const int x =
          QStyle::sliderPositionFromValue(slider.minimum(), slider.maximum(), slider.value(), slider.width() - grip) +
          grip / 2;
      return slider.mapTo(&window_, QPoint(x, slider.height() / 2 + 3));
    };
    int number = 0;
    const auto frame = [&](std::function<void()> prepare, int settles = 1) {
      add(QStringLiteral("alpha drag %1").arg(++number, 2, 10, QLatin1Char('0')), std::move(prepare), {}, settles);
      scenes_.back().only_when_named = true;
      scenes_.back().pointer = handle;
    };
    frame([this] { overview(); }, 6);
    for (const double end : {0.2, 0.85}) {
      constexpr int moves = 10, waits = 6;
      for (int move = 1; move <= moves; ++move)
        frame([&slider, end, move] {
          if (move == 1) slider.setSliderDown(true);
          const double share = 1.0 / (moves + 1 - move), target = end * slider.maximum();
          slider.setSliderPosition(static_cast<int>(std::lround(slider.value() + share * (target - slider.value()))));
        });
      for (int wait = 0; wait < waits; ++wait)
        frame(
            [&slider] {
              if (slider.isSliderDown()) slider.setSliderDown(false);
            },
            3);
    }
  }

  // Over all of the screen, however large that is; the picture has the window's size.
  void presenter() {
    const auto toggle = [this] { trigger(window_, "&Present"); };
    add(
        QStringLiteral("presenter"),
        [this, toggle] {
          overview();
          toggle();
        },
        toggle, 2);
  }

  void runs() {
    auto* runs = window_.body<RunsDock>(QStringLiteral("runs"));
    if (!runs || !window_.options().runs) return;
    const auto choose = [this, runs](int count) {
      overview();
      window_.show_view(QStringLiteral("runs"));
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
        [this] { window_.replay().close(); }, 6);
    add(
        QStringLiteral("dialog replay run file"),
        [runs, choose] {
          choose(1);
          runs->ask_for_replay_file();
        },
        close_dialogs);
  }

  void figures() {
    FiguresPage& page = window_.figures();
    const auto leave = [this] { window_.modes().leave(); };
    page.results().load();
    const QString first = to_q(paper_figures().front().name);
    for (const int tab : {0, 1})
      add(
          QStringLiteral("figures ") + plain_title(page.tabs().tabText(tab)),
          [this, &page, first, tab] {
            window_.show_view(QStringLiteral("papers"));
            page.choose(first);
            page.tabs().setCurrentIndex(tab);
          },
          leave);
    for (int paper = 0; paper < page.model().rowCount(); ++paper)
      add(
          QStringLiteral("claims %1").arg(paper + 1),
          [this, &page, paper] {
            window_.show_view(QStringLiteral("papers"));
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
    if (!window_.options().figures) return;
    add(
        QStringLiteral("dialog end figure"),
        [this, &page] {
          window_.show_view(QStringLiteral("papers"));
          page.choose(to_q(paper_figures()[1].name));
          page.start();
          window_.close();  // which asks
        },
        [this, &page, leave] {
          close_dialogs();
          connect_once(page.job(), [this] { window_.banner().hide(); });
          page.job().cancel();
          leave();
        });
  }

  void dialogs() {
    add(
        QStringLiteral("dialog commands"),
        [this] {
          overview();
          window_.palette().open_fresh();
        },
        [this] { window_.palette().reject(); });
    add(
        QStringLiteral("dialog about"), [this] { trigger(window_, "&About KVantage…"); }, close_dialogs);
    if (!window_.options().help_folder.isEmpty())
      add(
          QStringLiteral("dialog help"), [this] { trigger(window_, "&Guide"); }, close_dialogs, 2);
    add(
        QStringLiteral("dialog save layout"), [this] { trigger(window_, "&Save as…"); }, close_dialogs);
    add(
        QStringLiteral("dialog export charts"), [this] { trigger(window_, "Export all &charts…"); }, close_dialogs);
    add(
        QStringLiteral("dialog export charts at work"),
        [this] {
          exported_ = std::make_unique<QTemporaryDir>();
          trigger(window_, "Export all &charts…");
          for (QWidget* top : QApplication::topLevelWidgets())
            if (auto* folder = qobject_cast<QFileDialog*>(top); folder && folder->isVisible()) {
              emit folder->fileSelected(exported_->path());
              folder->close();
            }
        },
        [this] {
          if (auto* progress = window_.findChild<QProgressDialog*>()) emit progress->canceled();  // as its button does
          exported_.reset();
        });
    for (const char* action : {"&Export layout…", "&Import layout…"})
      add(
          QStringLiteral("dialog ") + plain_title(QString::fromUtf8(action)),
          [this, action] { trigger(window_, action); }, close_dialogs);
    if (WorkloadOpener* opener = window_.opener()) {
      add(
          QStringLiteral("dialog open text"), [this] { trigger(window_, "Open &text file…"); }, close_dialogs);
      add(
          QStringLiteral("dialog open folder"), [this] { trigger(window_, "Open &folder…"); }, close_dialogs);
      if (!window_.options().samples.empty())  // it is read first
        add(
            QStringLiteral("dialog open workload"),
            [this, opener] { opener->offer(window_.options().samples.back().path); }, close_dialogs, 4);
    }
    if (window_.files().models()) {
      add(
          QStringLiteral("dialog use my model"), [this] { trigger(window_, "&Use my model…"); }, close_dialogs);
      add(
          QStringLiteral("dialog open model"), [this] { trigger(window_, "Open &model…"); }, close_dialogs);
      add(
          QStringLiteral("dialog open model file"), [this] { trigger(window_, "Open model file (&GGUF)…"); },
          close_dialogs);
    }
    add(
        QStringLiteral("dialog table"), [this] { act_on_frontier("Show as &table"); }, close_dialogs);
    add(
        QStringLiteral("dialog export chart"), [this] { act_on_frontier("Export &SVG…"); }, close_dialogs);
    add(
        QStringLiteral("dialog not saved"),
        [this] { say_not_saved(&window_, QDir::temp().filePath(QStringLiteral("no such folder/Frontier.svg"))); },
        close_dialogs);
  }

  // Those of the bar, those inside them, and a chart's own.
  void menus() {
    for (QAction* top : window_.menuBar()->actions()) {
      QMenu* menu = top->menu();
      if (!menu) continue;
      const auto open = [this, menu, top] {
        emit menu->aboutToShow();
        menu->popup(window_.menuBar()->mapToGlobal(window_.menuBar()->actionGeometry(top).bottomLeft()));
      };
      add(QStringLiteral("menu ") + plain_title(top->text()), open, [menu] { menu->close(); });
      for (QAction* inner : menu->actions())
        if (QMenu* below = inner->menu())
          add(
              QStringLiteral("menu %1 %2").arg(plain_title(top->text()), plain_title(inner->text())),
              [open, menu, inner, below] {
                open();
                emit below->aboutToShow();
                below->popup(menu->mapToGlobal(menu->actionGeometry(inner).topRight()));
              },
              [menu, below] {
                below->close();
                menu->close();
              });
    }
    add(
        QStringLiteral("menu of a chart"),
        [this] {
          overview();
          auto* menu = new QMenu(&window_);
          menu->setAttribute(Qt::WA_DeleteOnClose);
          add_chart_actions(*menu, charts_of(window_.frontier()).front());
          menu->popup(window_.frontier().mapToGlobal(window_.frontier().rect().center()));
        },
        close_dialogs);
  }

  void act_on_frontier(const char* what) {
    QMenu menu;
    add_chart_actions(menu, charts_of(window_.frontier()).front());
    for (QAction* action : menu.actions())
      if (action->text() == menu_text(what)) return action->trigger();
  }

  void walks() {
    for (int step = 0; step < window_.tour().count(); ++step)
      add(
          QStringLiteral("tour %1").arg(step + 1),
          [this, step] {
            if (step == 0)
              overview(), window_.tour().start();
            else
              window_.tour().card().next().click();
          },
          [this, last = step + 1 == window_.tour().count()] {
            if (last) window_.tour().close();
          });
    // Lessons that play on what is open; the others need a window of their own.
    int number = 0;
    for (const Lesson& lesson : window_.lessons().all()) {
      ++number;
      if (window_.lessons().wants_another_workload(lesson)) continue;
      for (std::size_t step = 0; step < lesson.steps.size(); ++step)
        add(
            QStringLiteral("lesson %1 step %2").arg(number).arg(step + 1),
            [this, step, path = lesson.path] {
              if (step == 0) window_.lessons().start(path);
              // One that was done may have continued by itself meanwhile.
              while (window_.lessons().running() && window_.lessons().step() < static_cast<int>(step))
                window_.lessons().card().next().click();
              if (!window_.lessons().card().show_me().isHidden()) window_.lessons().card().show_me().click();
            },
            [this, last = step + 1 == lesson.steps.size()] {
              if (last) window_.lessons().close();
            });
    }
  }

  MainWindow& window_;
  std::unique_ptr<QTemporaryDir> exported_;  // while charts are written into it
  std::vector<ScreenshotScene> scenes_;
};

}  // namespace

std::vector<ScreenshotScene> screenshot_scenes(MainWindow& window) {
  auto made = std::make_shared<Scenes>(window);
  std::vector<ScreenshotScene> scenes = made->all();
  for (ScreenshotScene& scene : scenes)  // which ask it for more when they are taken
    scene.prepare = [made, prepare = std::move(scene.prepare)] { prepare(); };
  return scenes;
}

}  // namespace kvantage
