#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <utility>

#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/look/icons.h"
#include "ui/papers/charts/paper_format.h"
#include "ui/widgets/refresh_rest.h"
#include "ui/window/last_session.h"
#include "ui/window/layout/presenter.h"
#include "ui/window/parts/window_guides.h"
#include "ui/window/parts/window_looks.h"
#include "ui/window/parts/window_opening.h"
#include "ui/window/parts/window_state.h"
#include "ui/window/parts/window_status.h"
#include "ui/window/parts/window_wiring.h"
#include "ui/window/window_actions.h"

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

}  // namespace

MainWindow::MainWindow(Session& session, WindowOptions options, QWidget* parent)
    : QMainWindow(parent),
      options_(std::move(options)),
      preferences_(options_.settings_file),
      models_(session, options_.runs) {
  set_window_properties(*this);
  make_parts();
  restore();
  connect_parts();
  state_->show(session.state());
  frame_timer_.setObjectName("frame_timer");
  frame_timer_.setTimerType(Qt::PreciseTimer);
  connect(&frame_timer_, &QTimer::timeout, this, &MainWindow::frame);
  frame_timer_.start(frame_ms);
}

MainWindow::~MainWindow() {
  frame_timer_.stop();
  delete views_;  // views go before the models that they show
  delete takeCentralWidget();
}

void MainWindow::make_parts() {
  QSettings& kept = preferences_.file();
  looks_ = new WindowLooks(
      kept, [this] { return presenter_ != nullptr && presenter_->active(); }, this);
  looks_->begin();
  setFont({});  // the window itself was made before: in the application's font from now on
  pages_ = std::make_unique<WindowPages>(*this, models_, options_.text_of);
  const DockContext context{models_.run,  models_.settings, models_.driver, models_.replay, models_.session,
                            models_.held, options_,         pages_->say(),  links_};
  views_ = new WindowViews(*this, *pages_, context, kept);
  QStringList docks;
  for (const auto& [id, dock] : views_->docks().all()) docks << id;
  preferences_.mend(docks);
  presenter_ = new Presenter(*this, views_->docks(), views_->keeper(), kept);
  opening_ = new WindowOpening(*this, options_, kept, *views_, context);
  guides_ = new WindowGuides(*this, options_, models_, *pages_, *views_, *presenter_, kept);
  actions_ =
      new WindowActions({*this, options_, kept, models_, *pages_, *views_, *presenter_, *looks_, *guides_, *opening_});
  pages_->start().offer(actions_->start_offers());
  session_keeper_ = keep_session(models_, guides_->lessons(), options_, kept, this);
  new WindowStatus(*statusBar(), models_, *looks_, options_.connections);
  state_ = new WindowState({models_, *pages_, *views_, *actions_, *guides_}, options_, this);
}

void MainWindow::connect_parts() {
  connect(&links_, &ViewLinks::viewWanted, this, &MainWindow::show_view);
  connect(&links_, &ViewLinks::offered, &pages_->banner(), &Banner::offer);
  connect(&pages_->start(), &StartPage::leave, &views_->modes(), &WindowModes::leave);
  connect(presenter_, &Presenter::fontWanted, looks_, &WindowLooks::set_font_size);
  connect(&guides_->lessons(), &Lessons::reopen, opening_, &WindowOpening::reopen);
  connect(opening_, &WindowOpening::openRequested, this, &MainWindow::openRequested);
  connect(opening_, &WindowOpening::modelRequested, this, &MainWindow::modelRequested);
  connect(opening_, &WindowOpening::servingRequested, this, &MainWindow::servingRequested);
  connect(opening_, &WindowOpening::reopenRequested, this, &MainWindow::reopenRequested);
  connect(opening_, &WindowOpening::retryRequested, this, &MainWindow::retryRequested);
  connect_settings(models_, *pages_);
  keep_held_runs(models_.held, preferences_.file());
  pages_->frontier().prices().keep_in(preferences_.file(), QStringLiteral("prices/tiers"));
  pages_->frontier().target_bar().keep_in(preferences_.file(), QStringLiteral("targets/ttft"));
  keep_paper_format_in(preferences_.file(), QStringLiteral("export/paper"));
  body<ControlsDock>(QStringLiteral("controls"))->set_prices(pages_->frontier().prices());
  body<SensitivityDock>(QStringLiteral("sensitivity"))->imported().keep_in(preferences_.file(), pages_->say());
  connect_replay(*this, models_, *pages_);
  connect_time_line(*pages_, links_);
  connect_frontier(models_, *pages_, *actions_, links_, options_);
}

// As the window was left; what could not be restored is said.
void MainWindow::restore() {
  connect(looks_, &WindowLooks::themeChanged, &pages_->frontier(), &FrontierPage::set_theme);
  connect(looks_, &WindowLooks::themeChanged, &pages_->time_line(), &TimeLine::set_theme);
  connect(looks_, &WindowLooks::themeChanged, &views_->docks(), &WindowDocks::set_theme);
  connect(looks_, &WindowLooks::themeChanged, &views_->modes(), &WindowModes::set_theme);
  connect(looks_, &WindowLooks::themeChanged, actions_, &WindowActions::set_theme);
  connect(looks_, &WindowLooks::themeChanged, guides_, &WindowGuides::set_theme);
  looks_->restore();
  QString notice = preferences_.notice(views_->restore_last());
  if (notice.isEmpty() && !guides_->lessons().errors().isEmpty()) notice = guides_->lessons().errors().front();
  if (!notice.isEmpty()) banner().show_message(QStringLiteral("warning"), notice);
}

void MainWindow::frame() {
  views_->frame();
  models_.replay.frame();
  models_.run.tick();
  rest_before_refreshes(*this);  // work of the models and of a view would else be one piece
}

void MainWindow::open(const QString& path) { opening_->files().open(path); }

QString MainWindow::chosen_products() const { return opening_->files().products(); }

void MainWindow::close_now() {
  opening_->question().without([this] { window()->close(); });
}

ThemeKind MainWindow::theme_kind() const { return looks_->kind(); }

void MainWindow::set_theme(ThemeKind kind) { looks_->set_theme(kind); }

void MainWindow::set_font_size(int percent) { looks_->set_font_size(percent); }

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange) models_.driver.set_active(!window()->isMinimized());
  QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  FigureQuestion& question = opening_->question();
  if (!question.free()) {
    event->ignore();
    question.before(tr("Close the window"), [this] { window()->close(); });
    return;
  }
  frame_timer_.stop();
  models_.settings.flush();
  views_->modes().leave();
  presenter_->leave();
  guides_->lessons().abandon();
  views_->keeper().keep();
  if (session_keeper_ != nullptr) session_keeper_->keep();
  models_.session.live().stop();  // posted, not waited for
  event->accept();
}

}  // namespace kvantage
