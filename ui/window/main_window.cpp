#include "ui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QVBoxLayout>
#include <set>
#include <utility>

#include "ui/ask/ask_page.h"
#include "ui/experiments/experiments_page.h"
#include "ui/files/settings_file.h"
#include "ui/files/settings_values.h"
#include "ui/learn/learn_page.h"
#include "ui/live/frontier/model/first_alpha.h"
#include "ui/look/font_scale.h"
#include "ui/look/icons.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/refresh_rest.h"
#include "ui/widgets/work_line.h"
#include "ui/window/palette_entries.h"

namespace kvantage {
namespace {

void set_window_properties(QMainWindow& window) {
  window.setObjectName("mainWindow");
  window.setWindowTitle(QStringLiteral("KVantage"));
  window.setWindowIcon(application_icon());
  window.setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::GroupedDragging);
  window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  window.resize(1280, 800);
}

/// A layout saves and restores which policies the Frontier hides.
void keep_hidden_policies(Layouts& layouts, FrontierModel& frontier) {
  layouts.keep_hidden_series(
      [&frontier] {
        const std::set<QString>& hidden = frontier.hidden_policies();
        return QStringList(hidden.begin(), hidden.end());
      },
      [&frontier](const QStringList& hidden) {
        for (const QString& policy : std::set<QString>(frontier.hidden_policies()))
          if (!hidden.contains(policy)) frontier.set_hidden(policy, false);
        for (const QString& policy : hidden) frontier.set_hidden(policy, true);
      });
}

}  // namespace

MainWindow::MainWindow(Session& session, WindowOptions options, QWidget* parent)
    : QMainWindow(parent),
      session_(session),
      options_(std::move(options)),
      settings_path_(options_.settings_file.isEmpty() ? default_settings_file() : options_.settings_file),
      settings_notice_(check_settings_file(settings_path_)),
      preferences_(openable_settings_file(settings_path_), QSettings::IniFormat),
      shown_(session),
      run_(shown_),
      controller_(shown_),
      driver_(run_, controller_),
      replay_(run_, controller_, shown_, options_.runs) {
  set_window_properties(*this);
  make_center();
  const DockContext context{
      run_, controller_, driver_, replay_, shown_, options_, [this](const QString& level, const QString& text) {
        banner_->show_message(level, text);
      }};
  docks_ = new WindowDocks(*this, context);
  layouts_ = std::make_unique<Layouts>(*this, docks_->all(), preferences_);
  keep_hidden_policies(*layouts_, run_.frontier);
  layouts_->begin_with(Layouts::built_in().front());  // again at the first frame, when sizes are known
  QStringList dock_ids;
  for (const auto& [id, dock] : docks_->all()) dock_ids << id;
  const QString values = mend_settings_values(preferences_, dock_ids);
  keeper_ = new LayoutKeeper(*this, *docks_, *layouts_, preferences_);
  make_modes(context);
  connect(&run_.frontier, &FrontierModel::hiddenChanged, keeper_, &LayoutKeeper::changed);
  presenter_ = new Presenter(*this, *docks_, *keeper_, preferences_);
  connect(presenter_, &Presenter::fontWanted, this, &MainWindow::set_font_size);
  tour_ = new Tour(*this);
  connect(presenter_, &Presenter::changed, tour_, [this](bool active) {
    if (active) tour_->close();  // its card has no place among large text
  });
  connect(tour_, &Tour::ended, this, [this] { preferences_.setValue("tour/seen", true); });
  lessons_ = new Lessons(*this);
  connect(lessons_, &Lessons::reopen, this, [this](const QString& workload, const WindowBeginning& begin) {
    figure_question_->before(tr("Reopen the window for the lesson"),
                             [this, workload, begin] { emit reopenRequested(workload, begin); });
  });
  connect(lessons_, &Lessons::refused, this,
          [this](const QString& why) { banner_->show_message(QStringLiteral("warning"), why); });
  offer_lessons();
  charts_export_ = new ChartsExport(*this);
  make_files();
  actions_ = new WindowActions(*this, shown_);
  start_page_->offer(actions_->start_offers());
  connect(start_page_, &StartPage::leave, this, [this] { show_start_page(false); });
  if (!options_.workload_path.isEmpty() &&
      options_.begin.lesson.isEmpty())  // a lesson goes back to what was served before
    session_keeper_ = new SessionKeeper(
        controller_, preferences_, options_.workload_path,
        [this] { return lessons_->lesson() != nullptr || replay_.active(); }, this);
  status_ = new WindowStatusBar(*statusBar());
  theme_kind_ = preferences_.value("window/theme").toString() == "dark" ? ThemeKind::dark : ThemeKind::light;
  set_font_size(preferences_.value("window/font_percent", 100).toInt());
  const Layouts::Restored restored = layouts_->restore_last();
  arranged_ = restored == Layouts::Restored::yes;
  dock("replay")->hide();  // until something is replayed
  if (restored == Layouts::Restored::not_possible && settings_notice_.isEmpty())
    settings_notice_ =
        tr("%1: the saved dock arrangement is damaged, so the default layout is used. Arrange the docks again.")
            .arg(settings_path_);
  if (!values.isEmpty()) settings_notice_ += (settings_notice_.isEmpty() ? QString() : QStringLiteral("; ")) + values;
  if (settings_notice_.isEmpty() && !lessons_->errors().isEmpty()) settings_notice_ = lessons_->errors().front();
  if (!settings_notice_.isEmpty()) banner_->show_message(QStringLiteral("warning"), settings_notice_);
  set_tier_settings(run_, controller_.committed().tiers);
  connect_models();
  connect_advice();

  show_state(session_.state());
  frame_timer_.setObjectName("frame_timer");
  frame_timer_.setTimerType(Qt::PreciseTimer);
  connect(&frame_timer_, &QTimer::timeout, this, &MainWindow::frame);
  frame_timer_.start(frame_ms);
}

MainWindow::~MainWindow() {
  frame_timer_.stop();
  delete docks_;  // views go before the models that they show
  delete takeCentralWidget();
}

// What the Frontier leads to: another model, and an alpha where nobody has chosen one.
void MainWindow::connect_advice() {
  connect(frontier_page_, &FrontierPage::modelWanted, this, [this] {
    if (const auto use_model = actions_->start_offers().use_model) use_model();
  });
  if (options_.choose_alpha)
    connect(new FirstAlpha(run_, controller_, this), &FirstAlpha::chosen, this, [this](double alpha, double before) {
      banner_->offer(
          QStringLiteral("info"),
          tr("α is set to the knee of the predicted curve, %1: beyond it, quality costs much more TTFT.")
              .arg(number_text(alpha)),
          {tr("Back to %1").arg(number_text(before)), tr("Undo"), [this] { controller_.undo_stack().undo(); }});
    });
}

void MainWindow::connect_models() {
  connect(&replay_, &ReplayController::activeChanged, this, &MainWindow::show_replay);
  connect(&replay_, &ReplayController::moved, this, [this] {
    rest_before_refreshes(*this);
    if (!replay_.playing()) hurry_refreshes(*this, replay_.scrubbing() ? Hurry::in_turn : Hurry::at_once);
  });
  connect(&replay_, &ReplayController::failed, this,
          [this](const QString& message) { banner_->show_message(QStringLiteral("warning"), message); });
  connect(status_, &WindowStatusBar::liveRequested, &replay_, &ReplayController::close);
  connect(&run_, &RunModel::stateChanged, this, &MainWindow::show_state);
  connect(&run_, &RunModel::settingsChanged, &controller_, &SettingsController::adopt);
  connect(&run_, &RunModel::settingsChanged, this,
          [this](const SessionSettings& settings) { frontier().set_quality_metric(to_q(settings.quality_metric)); });
  connect(&run_, &RunModel::messageRaised, banner_, &Banner::show_message);
  connect(&controller_, &SettingsController::rejected, this,
          [this](const QString& message) { banner_->show_message(QStringLiteral("warning"), message); });
  connect(&controller_, &SettingsController::committedChanged, this, [this](const SessionSettings& settings) {
    set_tier_settings(run_, settings.tiers);
    show_status();
  });
  connect(&run_, &RunModel::infoChanged, this, [this] {
    show_status();
    const bool loaded = !session_.info().model_name.empty();  // whatever fails later
    if (session_keeper_ && options_.model_path && loaded) session_keeper_->keep_model(*options_.model_path);
  });
  lazy_status_ = new LazyRefresh(
      *statusBar(), [this] { show_status(); }, 100);
  connect(&run_.requests, &QAbstractItemModel::rowsInserted, this,
          [this] { lazy_status_->invalidate(); });  // the queue
  for (auto signal : {&RunModel::servedChanged, &RunModel::workChanged})
    connect(&run_, signal, this, [this] { lazy_status_->invalidate(); });
  connect(&frontier(), &FrontierChart::measuredPointClicked, this, [this](int, const QString& run) {
    const bool recorded = !run.isEmpty() && options_.runs;
    show_view(recorded ? QStringLiteral("runs") : QStringLiteral("requests"));
    if (recorded) body<RunsDock>(QStringLiteral("runs"))->open_run(run);
  });
}

void MainWindow::frame() {
  if (!arranged_) {
    arranged_ = true;
    layouts_->begin_with(Layouts::built_in().front());
  }
  if (!keeping_) {
    keeping_ = true;
    keeper_->suspend(false);
  }
  replay_.frame();
  run_.tick();
  rest_before_refreshes(*this);  // work of the models and of a view would else be one piece
}

void MainWindow::make_center() {
  auto* center = new QWidget;
  auto* column = new QVBoxLayout(center);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  banner_ = new Banner;
  auto* banner_row = new QVBoxLayout;
  banner_row->setContentsMargins(6, 4, 6, 4);
  banner_row->addWidget(banner_);
  column->addLayout(banner_row);
  pages_ = new QStackedWidget;
  pages_->setObjectName("centrePages");
  column->addWidget(pages_, 1);
  start_page_ = new StartPage(run_);
  start_page_->setAccessibleName(tr("Welcome"));
  pages_->addWidget(start_page_);
  frontier_page_ = new FrontierPage(run_, controller_, options_.text_of);
  frontier_page_->setAccessibleName(tr("Frontier"));
  pages_->addWidget(frontier_page_);
  center->setMinimumSize(320, 220);
  setCentralWidget(center);
}

void MainWindow::make_modes(const DockContext& context) {
  modes_ = new WindowModes(*this, *pages_, *docks_, *keeper_, context);
  modes_->set_page(QLatin1String(start_mode), start_page_);
  for (const auto& [page, mode] : {std::pair<QWidget*, const char*>{start_page_, start_mode},
                                   std::pair<QWidget*, const char*>{frontier_page_, live_mode}})
    if (auto* button = qobject_cast<QAbstractButton*>(modes_->bar().widgetForAction(modes_->action(mode))))
      set_opener(*page, *button);
  figures_page_ = body<FiguresPage>(QStringLiteral("papers"));
  connect(body<ExperimentsPage>(QStringLiteral("experiments")), &ExperimentsPage::runsRequested, this,
          [this](const QStringList& run_ids) {
            show_view(QStringLiteral("runs"));
            body<RunsDock>(QStringLiteral("runs"))->show_runs(run_ids);
          });
  connect_figures();
  auto* ask = body<AskPage>(QStringLiteral("ask"));
  connect(ask, &AskPage::said, this,
          [this](const QString& level, const QString& text) { banner_->show_message(level, text); });
  connect(ask, &AskPage::workloadWritten, this, [this](const QString& path) {
    banner_->offer(QStringLiteral("info"), tr("The workload with this question is in %1.").arg(path),
                   {tr("Open"), tr("Stop this run and serve that workload"), [this, path] { files_->open(path); }});
  });
  connect(modes_, &WindowModes::changed, this, [this] { show_state(run_.state()); });
  layouts_->before_change([this] { modes_->leave(); });
}

void MainWindow::offer_lessons() {
  const auto begin = [this](const QString& path) { lessons_->start(path); };
  start_page_->offer_lessons(lessons_->all(), begin);
  body<LearnPage>(QStringLiteral("learn"))->offer([this] { tour_->start(); }, lessons_->all(), begin);
}

void MainWindow::show_view(const QString& id) {
  if (modes_->has(id))
    modes_->enter(id);
  else
    docks_->bring_up(id);
}

void MainWindow::connect_figures() {
  connect(figures_page_, &FiguresPage::said, banner_, &Banner::show_message);
  connect(figures_page_, &FiguresPage::backRequested, modes_, &WindowModes::leave);
  connect(figures_page_, &FiguresPage::runsRequested, this, [this](const QStringList& run_ids) {
    show_view(QStringLiteral("runs"));
    body<RunsDock>(QStringLiteral("runs"))->show_runs(run_ids);
  });
  connect(&run_, &RunModel::stateChanged, figures_page_, &FiguresPage::look_at_session);
}

void MainWindow::make_files() {
  const auto warn = [this](const QString& text) { banner_->show_message(QStringLiteral("warning"), text); };
  figure_question_ = new FigureQuestion(*this, &figures_page_->job());
  files_ = new WindowFiles(this, options_, preferences_);
  for (WorkloadOpener* opener : {files_->workloads(), files_->models()})
    if (opener) opener->set_also_ends([this] { return figure_question_->loss(); });
  auto* opening = new WorkLine(tr("opening"));
  statusBar()->insertPermanentWidget(0, opening);
  opening->hide();  // a status bar shows what it is given
  connect(files_, &WindowFiles::reading, this,
          [opening](const QString& path) { opening->show_work(tr("Reading %1").arg(QFileInfo(path).fileName())); });
  connect(files_, &WindowFiles::ended, this, [this, opening] { opening->setVisible(files_->busy()); });
  connect(opening, &WorkLine::cancelled, files_, &WindowFiles::cancel);
  connect(files_, &WindowFiles::refused, this, warn);
  // Their question has mentioned the figure that ends as well.
  connect(files_, &WindowFiles::workloadChosen, this,
          [this](const QString& path) { figure_question_->without([this, path] { emit openRequested(path); }); });
  connect(files_, &WindowFiles::modelChosen, this,
          [this](const QString& path) { figure_question_->without([this, path] { emit modelRequested(path); }); });
  connect(files_, &WindowFiles::layoutChosen, this, [this, warn](const QString& path) {
    const auto name = layouts_->import_from(path);
    if (!name) return warn(core_text(name.error().message));
    arranged_ = true;  // also where it came before the first frame: that one arranges nothing over it
    if (!keeping_)
      connect(
          &frame_timer_, &QTimer::timeout, this, [this] { keeper_->keep(); },
          Qt::SingleShotConnection);  // which rests until then
  });
  connect(files_, &WindowFiles::runChosen, this, [this, warn](const QString& path) {
    if (!options_.runs) {
      warn(tr("%1 is a recorded run, but this window has no run database. Start kvantage with --db FILE.").arg(path));
      return;
    }
    show_view(QStringLiteral("runs"));
    body<RunsDock>(QStringLiteral("runs"))->files().import_run(path);
  });
}

void MainWindow::show_state(RunState state) {
  actions_->show_state(state);
  const bool loading = state == RunState::loading || (state == RunState::failed && !run_.snapshot());
  if (modes_->is_live()) pages_->setCurrentIndex(loading ? 0 : 1);
  if (!loading && !replay_.active() && !controls().isEnabled()) {
    controls().setEnabled(true);
    controls().alpha().setFocus();  // the arrow keys move what matters most
    const bool lesson = lessons_->begin_as_asked();
    if (options_.tour_at_first_start && !lesson && !preferences_.value("tour/seen").toBool()) tour_->start();
  }
  if (loading || replay_.active()) controls().setEnabled(false);
  if (state == RunState::ready && options_.start_at_once && !started_ && !replay_.active()) {
    started_ = true;
    session_.start();
  }
  if (state == RunState::failed && !run_.snapshot() && !replay_.active() && !options_.run_without_engine.isEmpty())
    replay_.open_file(std::exchange(options_.run_without_engine, QString()));
  if (state == RunState::failed && !run_.snapshot()) banner_->withdraw(run_.log.last_error());  // the page says it
  if (state == RunState::failed && run_.snapshot() && banner_->isHidden())
    banner_->show_message(QStringLiteral("error"), tr("The engine stopped unexpectedly. See Events for details."));
  show_status();
}

void MainWindow::show_start_page(bool shown) {
  if (shown)
    modes_->enter(QLatin1String(start_mode));
  else if (modes_->current() == QLatin1String(start_mode))
    modes_->leave();
}

void MainWindow::retry(bool separate_store) {
  figure_question_->before(tr("Open the session again"),
                           [this, separate_store] { emit retryRequested(separate_store); });
}

void MainWindow::show_replay(bool active) {
  actions_->show_replay(active);
  status_->show_replay(replay_.run_id());
  if (active)
    docks_->bring_up("replay");
  else
    dock("replay")->hide();
  show_state(run_.state());
}

void MainWindow::show_status() { status_->show_run(run_, controller_.committed(), theme_of(theme_kind_)); }

void MainWindow::set_theme(ThemeKind kind) {
  theme_kind_ = kind;
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
  const Theme& theme = theme_of(kind);
  frontier_page_->set_theme(theme);
  docks_->set_theme(theme);
  modes_->set_theme(theme);
  actions_->set_theme(theme);
  for (Walkthrough* walk : std::initializer_list<Walkthrough*>{tour_, lessons_}) walk->card().set_theme(theme);
  preferences_.setValue("window/theme", kind == ThemeKind::dark ? "dark" : "light");
  show_status();
}

void MainWindow::set_font_size(int percent) {
  set_font_percent(percent);
  if (!presenter_->active()) preferences_.setValue("window/font_percent", font_percent());
  set_theme(theme_kind_);  // charts keep the fonts that they were given
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange) driver_.set_active(!window()->isMinimized());
  QMainWindow::changeEvent(event);
}

void MainWindow::close_now() {
  figure_question_->without([this] { window()->close(); });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!figure_question_->free()) {
    event->ignore();
    figure_question_->before(tr("Close the window"), [this] { window()->close(); });
    return;
  }
  frame_timer_.stop();
  controller_.flush();
  modes_->leave();
  presenter_->leave();
  lessons_->abandon();
  keeper_->keep();
  if (session_keeper_) session_keeper_->keep();
  session_.stop();  // posted, not waited for
  event->accept();
}

}  // namespace kvantage
