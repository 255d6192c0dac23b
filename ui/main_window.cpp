#include "ui/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QInputDialog>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/fault_menu.h"
#include "ui/icons.h"
#include "ui/models/words.h"

namespace kvantage {

MainWindow::MainWindow(Session& session, WindowOptions options, QWidget* parent)
    : QMainWindow(parent),
      session_(session),
      options_(std::move(options)),
      preferences_(options_.settings_file.isEmpty()
                       ? QSettings().fileName().isEmpty() ? QStringLiteral("kvantage.ini") : QSettings().fileName()
                       : options_.settings_file,
                   QSettings::IniFormat),
      run_(session),
      controller_(session),
      driver_(run_, controller_) {
  setObjectName("mainWindow");
  setWindowTitle(QStringLiteral("KVantage"));
  setWindowIcon(application_icon());
  setDockOptions(AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  resize(1280, 800);

  make_centre();
  make_docks();
  layouts_->apply(Layouts::built_in().front());  // once more at the first frame, when sizes are known
  make_actions();
  make_status_bar();
  set_theme(preferences_.value("window/theme").toString() == "dark" ? ThemeKind::dark : ThemeKind::light);
  if (layouts_->restore_last()) arranged_ = true;
  run_.tiers.set_settings(controller_.committed().tiers);

  connect(&run_, &RunModel::stateChanged, this, &MainWindow::show_state);
  connect(&run_, &RunModel::settingsChanged, &controller_, &SettingsController::adopt);
  connect(&run_, &RunModel::settingsChanged, this,
          [this](const SessionSettings& settings) { frontier_->set_quality_metric(to_q(settings.quality_metric)); });
  connect(&run_, &RunModel::messageRaised, banner_, &Banner::show_message);
  connect(&controller_, &SettingsController::rejected, this,
          [this](const QString& message) { banner_->show_message(QStringLiteral("warning"), message); });
  connect(&controller_, &SettingsController::committedChanged, this, [this](const SessionSettings& settings) {
    run_.tiers.set_settings(settings.tiers);
    show_status();
  });
  for (auto signal : {&RunModel::infoChanged, &RunModel::servedChanged, &RunModel::workChanged})
    connect(&run_, signal, this, &MainWindow::show_status);
  connect(frontier_, &FrontierChart::measuredPointClicked, this, [this] {
    docks_.at("requests")->show();
    docks_.at("requests")->raise();
  });

  show_state(session_.state());
  frame_timer_.setTimerType(Qt::PreciseTimer);
  connect(&frame_timer_, &QTimer::timeout, this, &MainWindow::frame);
  frame_timer_.start(frame_ms);
}

MainWindow::~MainWindow() {
  frame_timer_.stop();
}

void MainWindow::frame() {
  if (!arranged_) {
    arranged_ = true;
    layouts_->apply(Layouts::built_in().front());
  }
  run_.tick();
}

void MainWindow::make_centre() {
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  banner_ = new Banner;
  auto* banner_row = new QVBoxLayout;
  banner_row->setContentsMargins(6, 4, 6, 4);
  banner_row->addWidget(banner_);
  column->addLayout(banner_row);
  pages_ = new QStackedWidget;
  column->addWidget(pages_, 1);
  start_page_ = new StartPage(run_);
  pages_->addWidget(start_page_);

  auto* frontier_page = new QWidget;
  frontier_page->setAutoFillBackground(true);
  frontier_page->setBackgroundRole(QPalette::Base);
  auto* frontier_column = new QVBoxLayout(frontier_page);
  frontier_column->setContentsMargins(0, 0, 0, 0);
  frontier_column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(11, 7, 10, 0);
  auto* title = new QLabel(QStringLiteral("Frontier"));
  title->setProperty("heading", true);
  head->addWidget(title);
  head->addStretch(1);
  auto* family_label = new QLabel(QStringLiteral("Family"));
  family_label->setProperty("muted", true);
  auto* family = new QComboBox;
  family->setObjectName("frontierFamily");
  family->setAccessibleName(QStringLiteral("Family shown in the Frontier"));
  family->setToolTip(QStringLiteral("Show contexts of one family only: curves, modelled and measured points"));
  family->addItem(QStringLiteral("all"), QString());
  family_label->setBuddy(family);
  head->addWidget(family_label);
  head->addSpacing(4);
  head->addWidget(family);
  frontier_column->addLayout(head);
  frontier_ = new FrontierChart(run_.frontier);
  frontier_column->addWidget(frontier_, 1);
  pages_->addWidget(frontier_page);
  connect(&run_.frontier, &FrontierModel::familiesChanged, this, [this, family] {
    const QSignalBlocker quiet(family);
    const QString shown = run_.frontier.family();
    family->clear();
    family->addItem(QStringLiteral("all"), QString());
    for (const QString& name : run_.frontier.families()) family->addItem(name, name);
    family->setCurrentIndex(std::max(0, family->findData(shown)));
  });
  connect(family, &QComboBox::currentIndexChanged, this,
          [this, family](int index) { run_.frontier.set_family(family->itemData(index).toString()); });
  centre->setMinimumSize(320, 220);
  setCentralWidget(centre);
}

void MainWindow::add_dock(const QString& id, const QString& title, QWidget* body) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName(id);
  dock->setWidget(body);
  dock->setAccessibleName(title);
  docks_[id] = dock;
  for (auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
    connect(dock, signal, this, [this] { sync_titles(); });
  connect(dock, &QDockWidget::dockLocationChanged, this, [this] { sync_titles(); });
}

void MainWindow::sync_titles() {
  if (titles_due_) return;
  titles_due_ = true;
  QTimer::singleShot(0, this, [this] {
    titles_due_ = false;
    for (auto& [id, dock] : docks_) {
      // A tab already says the name; a title under it would only take room.
      const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
      if (tabbed == (dock->titleBarWidget() != nullptr)) continue;
      QWidget* old = dock->titleBarWidget();
      dock->setTitleBarWidget(tabbed ? new QWidget(dock) : nullptr);
      delete old;
    }
  });
}

void MainWindow::make_docks() {
  controls_ = new ControlsDock(run_, controller_);
  sensitivity_ = new SensitivityDock(run_.sensitivity);
  contexts_ = new ContextsDock(run_.contexts, run_.sensitivity);
  tiers_ = new TiersDock(run_.tiers, run_.tier_reports);
  hit_rates_ = new HitRatesDock(run_.hit_rates);
  requests_ = new RequestsDock(run_.requests, run_.sensitivity);
  events_ = new EventsDock(run_.log);
  add_dock("controls", QStringLiteral("Controls"), controls_);
  add_dock("sensitivity", QStringLiteral("Sensitivity"), sensitivity_);
  add_dock("contexts", QStringLiteral("Contexts"), contexts_);
  add_dock("tiers", QStringLiteral("Tiers"), tiers_);
  add_dock("hitRates", QStringLiteral("Hit rates"), hit_rates_);
  add_dock("requests", QStringLiteral("Requests"), requests_);
  add_dock("events", QStringLiteral("Events"), events_);
  layouts_ = std::make_unique<Layouts>(*this, docks_, preferences_);
}

void MainWindow::make_actions() {
  auto* bar = new QToolBar(QStringLiteral("Run"));
  bar->setObjectName("runToolBar");
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->setIconSize({16, 16});
  addToolBar(bar);
  const auto action = [this](const QString& text, const QString& tip, const QKeySequence& key, auto slot) {
    auto* made = new QAction(text, this);
    made->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
    made->setStatusTip(tip);
    made->setShortcut(key);
    connect(made, &QAction::triggered, this, slot);
    return made;
  };
  start_ = action("&Start", "Serve the workload", QKeySequence("F5"), [this] { session_.start(); });
  pause_ =
      action("&Pause", "Finish the request under way, then wait", QKeySequence("F6"), [this] { session_.pause(); });
  step_ = action("S&tep", "Serve one request, then pause", QKeySequence("F7"), [this] { session_.step(); });
  stop_ = action("St&op", "End the run; the request under way is cancelled", QKeySequence("F8"),
                 [this] { session_.stop(); });
  undo_ = controller_.undo_stack().createUndoAction(this);
  undo_->setShortcut(QKeySequence::Undo);
  redo_ = controller_.undo_stack().createRedoAction(this);
  redo_->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
  theme_ = action("&Dark theme", "Dark or light colours", QKeySequence("Ctrl+T"),
                  [this] { set_theme(theme_kind_ == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark); });
  theme_->setCheckable(true);

  for (QAction* made : {start_, pause_, step_, stop_}) bar->addAction(made);
  bar->addSeparator();
  bar->addAction(undo_);
  bar->addAction(redo_);
  for (QAction* made : {undo_, redo_})
    if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(made)))
      button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  auto* spacer = new QWidget;
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(spacer);
  auto* layout_button = new QToolButton;
  layout_button->setText(QStringLiteral("Layout"));
  layout_button->setObjectName("layoutButton");
  layout_button->setFocusPolicy(Qt::TabFocus);
  layout_button->setToolTip(QStringLiteral("Named arrangements of the docks"));
  layout_button->setPopupMode(QToolButton::InstantPopup);
  layout_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  layout_menu_ = new QMenu(QStringLiteral("&Layout"), this);
  layout_button->setMenu(layout_menu_);
  bar->addWidget(layout_button);
  bar->addAction(theme_);
  connect(layout_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_layout_menu);
  fill_layout_menu();

  QMenu* file = menuBar()->addMenu(QStringLiteral("&File"));
  if (options_.check_workload) {
    opener_ = new WorkloadOpener(this, options_.check_workload);
    connect(opener_, &WorkloadOpener::reading, this,
            [this](const QString& path) { statusBar()->showMessage(QStringLiteral("Reading %1 …").arg(path), 5000); });
    connect(opener_, &WorkloadOpener::refused, this,
            [this](const QString& reason) { banner_->show_message(QStringLiteral("warning"), reason); });
    connect(opener_, &WorkloadOpener::chosen, this, &MainWindow::openRequested);
    file->addAction(action("Open &text file…", "Serve a text of your own; questions are made from it",
                           QKeySequence::Open, [this] { opener_->choose_file(); }));
    file->addAction(action("Open &folder…", "Serve a workload folder or a folder of texts",
                           QKeySequence("Ctrl+Shift+O"), [this] { opener_->choose_folder(); }));
    if (!options_.samples.empty())
      file->addMenu(make_sample_menu(options_.samples, [this](const QString& path) { opener_->offer(path); }, this));
    file->addSeparator();
  }
  auto* quit = action("&Quit", "Close the window", QKeySequence::Quit, [this] { close(); });
  file->addAction(quit);
  QMenu* edit = menuBar()->addMenu(QStringLiteral("&Edit"));
  edit->addAction(undo_);
  edit->addAction(redo_);
  QMenu* run_menu = menuBar()->addMenu(QStringLiteral("&Run"));
  for (QAction* made : {start_, pause_, step_, stop_}) run_menu->addAction(made);
  run_menu->addSeparator();
  fault_menu_ = make_fault_menu(controller_, this);
  run_menu->addMenu(fault_menu_);
  QMenu* view = menuBar()->addMenu(QStringLiteral("&View"));
  int number = 1;
  for (const char* id : {"controls", "requests", "contexts", "tiers", "hitRates", "sensitivity", "events"}) {
    QDockWidget* widget = docks_.at(QString::fromLatin1(id));
    QAction* toggle = widget->toggleViewAction();
    toggle->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(number++)));
    toggle->setStatusTip(QStringLiteral("Show or hide %1").arg(widget->windowTitle()));
    view->addAction(toggle);
  }
  view->addSeparator();
  view->addMenu(layout_menu_);
  view->addAction(action("&Reset layout", "Put every dock back where it was at first", QKeySequence("Ctrl+0"),
                         [this] { layouts_->apply(Layouts::built_in().front()); }));
  view->addAction(theme_);
}

void MainWindow::fill_layout_menu() {
  layout_menu_->clear();
  for (const QString& name : Layouts::built_in())
    layout_menu_->addAction(name, this, [this, name] { layouts_->apply(name); });
  const QStringList saved = layouts_->saved();
  if (!saved.isEmpty()) layout_menu_->addSeparator();
  for (const QString& name : saved) layout_menu_->addAction(name, this, [this, name] { layouts_->apply(name); });
  layout_menu_->addSeparator();
  layout_menu_->addAction(QStringLiteral("&Save as…"), this, [this] {
    bool accepted = false;
    const QString name = QInputDialog::getText(this, QStringLiteral("Save layout"), QStringLiteral("Name"),
                                               QLineEdit::Normal, {}, &accepted)
                             .trimmed();
    if (accepted && !name.isEmpty()) layouts_->save(name);
  });
  if (!saved.isEmpty()) {
    QMenu* remove = layout_menu_->addMenu(QStringLiteral("&Delete"));
    for (const QString& name : saved) remove->addAction(name, this, [this, name] { layouts_->remove(name); });
  }
}

void MainWindow::make_status_bar() {
  state_label_ = new QLabel;
  model_label_ = new QLabel;
  workload_label_ = new QLabel;
  faults_label_ = new QLabel;
  faults_label_->setObjectName("faultsLabel");
  faults_label_->setAccessibleName(QStringLiteral("Faults injected"));
  faults_label_->hide();
  served_label_ = new QLabel;
  eta_label_ = new QLabel;
  work_bar_ = new QProgressBar;
  work_bar_->setFixedWidth(110);
  work_bar_->setTextVisible(false);
  work_bar_->setAccessibleName(QStringLiteral("Background work"));
  work_bar_->hide();
  state_label_->setAccessibleName(QStringLiteral("State of the run"));
  statusBar()->setSizeGripEnabled(false);
  for (QLabel* label : {state_label_, model_label_, workload_label_}) statusBar()->addWidget(label);
  statusBar()->addPermanentWidget(faults_label_);  // stays beside a tip
  statusBar()->addPermanentWidget(eta_label_);
  statusBar()->addPermanentWidget(work_bar_);
  statusBar()->addPermanentWidget(served_label_);
}

QString MainWindow::status_text() const {
  QStringList parts;
  for (const QLabel* label : {state_label_, model_label_, workload_label_, faults_label_, eta_label_, served_label_})
    parts << label->text();
  return parts.join(" | ");
}

void MainWindow::show_state(RunState state) {
  const bool can_run = state == RunState::ready || state == RunState::paused || state == RunState::finished;
  start_->setEnabled(can_run);
  step_->setEnabled(can_run);
  pause_->setEnabled(state == RunState::running);
  stop_->setEnabled(state == RunState::running || state == RunState::paused);
  const bool loading = state == RunState::loading || (state == RunState::failed && !run_.snapshot());
  pages_->setCurrentIndex(loading ? 0 : 1);
  if (!loading && !controls_->isEnabled()) {
    controls_->setEnabled(true);
    controls_->alpha().setFocus();  // the arrow keys move what matters most
  }
  if (loading) controls_->setEnabled(false);
  if (state == RunState::ready && options_.start_at_once && !started_) {
    started_ = true;
    session_.start();
  }
  if (state == RunState::failed && banner_->isHidden())
    banner_->show_message(QStringLiteral("error"),
                          QStringLiteral("The engine stopped. The Events dock has its last words."));
  show_status();
}

void MainWindow::show_status() {
  const Theme& theme = theme_of(theme_kind_);
  const RunState state = run_.state();
  const QColor colour = state == RunState::running  ? theme.good
                        : state == RunState::failed ? theme.error
                        : state == RunState::paused ? theme.warning
                                                    : theme.muted;
  state_label_->setText(QStringLiteral("<span style='color:%1'>●</span> %2").arg(colour.name(), state_text(state)));
  const SessionInfo& info = run_.info();
  model_label_->setText(
      info.model_name.empty() ? QString() : QStringLiteral("%1, %2").arg(to_q(info.model_name), to_q(info.device)));
  model_label_->setToolTip(QStringLiteral("%1 parameters, %2 layers, %3 KV heads of %4")
                               .arg(info.parameters)
                               .arg(info.layers)
                               .arg(info.kv_heads)
                               .arg(info.head_dim));
  workload_label_->setText(info.workload_name.empty()
                               ? QString()
                               : QStringLiteral("%1: %2 contexts").arg(to_q(info.workload_name)).arg(info.contexts));
  workload_label_->setToolTip(QStringLiteral("%1 contexts, %2 questions").arg(info.contexts).arg(info.questions));

  const QString faults = faults_of_session(controller_.committed());
  faults_label_->setVisible(!faults.isEmpty());
  faults_label_->setText(faults.isEmpty() ? QString()
                                          : QStringLiteral("<span style='color:%1'>▲</span> faults injected").arg(theme.warning.name()));
  faults_label_->setToolTip(QStringLiteral("On purpose, in the files of these tiers:\n%1").arg(faults));

  const std::uint64_t limit = controller_.committed().request_limit;
  const double rate = run_.requests_per_second();
  QString served = limit ? QStringLiteral("%1 of %2 requests").arg(run_.served()).arg(limit)
                         : QStringLiteral("%1 requests").arg(run_.served());
  if (rate > 0 && state == RunState::running) served += QStringLiteral(", %1/s").arg(number_text(rate));
  served_label_->setText(served);

  const RunModel::Work* busy = nullptr;
  for (const RunModel::Work& work : run_.work())
    if (!work.finished() && (state == RunState::running || state == RunState::loading)) busy = &work;  // else it rests
  work_bar_->setVisible(busy != nullptr && state != RunState::loading);
  QString eta;
  if (busy) {
    work_bar_->setRange(0, busy->total == 0 ? 0 : 1000);
    if (busy->total > 0)
      work_bar_->setValue(
          static_cast<int>(1000.0 * static_cast<double>(busy->done) / static_cast<double>(busy->total)));
    eta = busy->what;
    if (busy->eta_seconds > 1) eta += QStringLiteral(", %1 left").arg(seconds_text(std::ceil(busy->eta_seconds)));
  } else if (limit > run_.served() && rate > 0 && state == RunState::running) {
    eta = QStringLiteral("%1 left").arg(seconds_text(std::ceil(static_cast<double>(limit - run_.served()) / rate)));
  }
  eta_label_->setText(eta);
}

void MainWindow::set_icons() {
  const Theme& theme = theme_of(theme_kind_);
  start_->setIcon(icon("start", theme));
  pause_->setIcon(icon("pause", theme));
  step_->setIcon(icon("step", theme));
  stop_->setIcon(icon("stop", theme));
  undo_->setIcon(icon("undo", theme));
  redo_->setIcon(icon("redo", theme));
  theme_->setIcon(icon("theme", theme));
  if (auto* button = findChild<QToolButton*>("layoutButton")) button->setIcon(icon("layout", theme));
}

void MainWindow::set_theme(ThemeKind kind) {
  theme_kind_ = kind;
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
  const Theme& theme = theme_of(kind);
  for (Themed* view : std::initializer_list<Themed*>{start_page_, frontier_, sensitivity_, contexts_, tiers_,
                                                     hit_rates_, requests_, events_})
    view->set_theme(theme);
  theme_->setChecked(kind == ThemeKind::dark);
  set_icons();
  preferences_.setValue("window/theme", kind == ThemeKind::dark ? "dark" : "light");
  show_status();
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange) driver_.set_active(!isMinimized());
  QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  frame_timer_.stop();
  controller_.flush();
  layouts_->save_last();
  session_.stop();  // posted, not waited for
  event->accept();
}

}  // namespace kvantage
