#include "ui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QVBoxLayout>

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
  docks_ = new WindowDocks(
      *this, {run_, controller_, driver_, options_, [this](const QString& id) { docks_->bring_up(id); },
              [this](const QString& level, const QString& text) { banner_->show_message(level, text); }});
  layouts_ = std::make_unique<Layouts>(*this, docks_->all(), preferences_);
  layouts_->apply(Layouts::built_in().front());  // once more at the first frame, when sizes are known
  make_opener();
  actions_ = new WindowActions(*this, session_);
  status_ = new WindowStatusBar(*statusBar());
  set_theme(preferences_.value("window/theme").toString() == "dark" ? ThemeKind::dark : ThemeKind::light);
  if (layouts_->restore_last()) arranged_ = true;
  run_.tiers.set_settings(controller_.committed().tiers);
  connect_models();

  show_state(session_.state());
  frame_timer_.setTimerType(Qt::PreciseTimer);
  connect(&frame_timer_, &QTimer::timeout, this, &MainWindow::frame);
  frame_timer_.start(frame_ms);
}

MainWindow::~MainWindow() {
  frame_timer_.stop();
  delete docks_;  // views go before the models that they show
  delete takeCentralWidget();
}

void MainWindow::connect_models() {
  connect(&run_, &RunModel::stateChanged, this, &MainWindow::show_state);
  connect(&run_, &RunModel::settingsChanged, &controller_, &SettingsController::adopt);
  connect(&run_, &RunModel::settingsChanged, this,
          [this](const SessionSettings& settings) { frontier().set_quality_metric(to_q(settings.quality_metric)); });
  connect(&run_, &RunModel::messageRaised, banner_, &Banner::show_message);
  connect(&controller_, &SettingsController::rejected, this,
          [this](const QString& message) { banner_->show_message(QStringLiteral("warning"), message); });
  connect(&controller_, &SettingsController::committedChanged, this, [this](const SessionSettings& settings) {
    run_.tiers.set_settings(settings.tiers);
    show_status();
  });
  for (auto signal : {&RunModel::infoChanged, &RunModel::servedChanged, &RunModel::workChanged})
    connect(&run_, signal, this, &MainWindow::show_status);
  connect(&frontier(), &FrontierChart::measuredPointClicked, this, [this] { docks_->bring_up("requests"); });
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
  frontier_page_ = new FrontierPage(run_.frontier);
  pages_->addWidget(frontier_page_);
  centre->setMinimumSize(320, 220);
  setCentralWidget(centre);
}

void MainWindow::make_opener() {
  if (!options_.check_workload) return;
  opener_ = new WorkloadOpener(this, options_.check_workload);
  connect(opener_, &WorkloadOpener::reading, this,
          [this](const QString& path) { statusBar()->showMessage(QStringLiteral("Reading %1 …").arg(path), 5000); });
  connect(opener_, &WorkloadOpener::refused, this,
          [this](const QString& reason) { banner_->show_message(QStringLiteral("warning"), reason); });
  connect(opener_, &WorkloadOpener::chosen, this, &MainWindow::openRequested);
}

void MainWindow::show_state(RunState state) {
  actions_->show_state(state);
  const bool loading = state == RunState::loading || (state == RunState::failed && !run_.snapshot());
  pages_->setCurrentIndex(loading ? 0 : 1);
  if (!loading && !controls().isEnabled()) {
    controls().setEnabled(true);
    controls().alpha().setFocus();  // the arrow keys move what matters most
  }
  if (loading) controls().setEnabled(false);
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
  status_->show_run(run_, controller_.committed(), theme_of(theme_kind_));
}

void MainWindow::set_theme(ThemeKind kind) {
  theme_kind_ = kind;
  apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
  const Theme& theme = theme_of(kind);
  for (Themed* view : std::initializer_list<Themed*>{start_page_, frontier_page_}) view->set_theme(theme);
  docks_->set_theme(theme);
  actions_->set_theme(theme);
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
