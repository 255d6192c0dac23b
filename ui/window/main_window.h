// The window: in Live the Frontier in the middle and docks around it, in other modes a page in their place, one 33 ms
// timer that drains the session's events into the models. It opens at once and shows progress while the engine loads;
// it never waits for the engine and closes at any moment. The session must outlive the window. This file puts together
// what the others make: docks from dock_registry, modes from mode_registry, menus from window_actions, the bar below
// from window_status_bar.
#pragma once

#include <QMainWindow>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <memory>

#include "core/ports/session.h"
#include "ui/learn/lessons.h"
#include "ui/learn/tour.h"
#include "ui/live/contexts/contexts_dock.h"
#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/live/frontier/model/frontier_driver.h"
#include "ui/live/requests/requests_dock.h"
#include "ui/live/tiers/hit_rates_dock.h"
#include "ui/live/tiers/tiers_dock.h"
#include "ui/live/window_docks.h"
#include "ui/papers/figure_question.h"
#include "ui/papers/figures_page.h"
#include "ui/pictures/charts_export.h"
#include "ui/session/replay_controller.h"
#include "ui/session/run_model.h"
#include "ui/session/session_switch.h"
#include "ui/session/settings_controller.h"
#include "ui/welcome/start_page.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/window/last_session.h"
#include "ui/window/layout/layout_keeper.h"
#include "ui/window/layout/layouts.h"
#include "ui/window/layout/presenter.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_files.h"
#include "ui/window/window_modes.h"
#include "ui/window/window_options.h"
#include "ui/window/window_status_bar.h"

namespace kvantage {

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  static constexpr int frame_ms = 33;

  explicit MainWindow(Session& session, WindowOptions options = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  const WindowOptions& options() const { return options_; }
  QSettings& preferences() { return preferences_; }
  RunModel& run() { return run_; }
  SettingsController& settings() { return controller_; }
  FrontierDriver& driver() { return driver_; }
  ReplayController& replay() { return replay_; }
  FrontierChart& frontier() { return frontier_page_->chart(); }
  Banner& banner() { return *banner_; }
  Layouts& layouts() { return *layouts_; }
  WindowFiles& files() { return *files_; }
  WorkloadOpener* opener() { return files_->workloads(); }
  Presenter& presenter() { return *presenter_; }
  Tour& tour() { return *tour_; }
  Lessons& lessons() { return *lessons_; }
  ChartsExport& charts_export() { return *charts_export_; }
  QMenu& fault_menu() { return actions_->fault_menu(); }
  CommandPalette& palette() { return actions_->palette(); }
  QDockWidget* dock(const QString& id) { return docks_->dock(id); }
  WindowDocks& docks() { return *docks_; }
  WindowModes& modes() { return *modes_; }
  /// A dock to the front, or a mode.
  void show_view(const QString& id);
  /// What is in a dock of the registry, or the page of a mode; null when it is something else.
  template <typename Body>
  Body* body(const QString& id) {
    return qobject_cast<Body*>(modes_->has(id) ? modes_->page(id) : docks_->body(id));
  }
  ControlsDock& controls() { return *body<ControlsDock>("controls"); }
  SensitivityDock& sensitivity() { return *body<SensitivityDock>("sensitivity"); }
  ContextsDock& contexts() { return *body<ContextsDock>("contexts"); }
  TiersDock& tiers() { return *body<TiersDock>("tiers"); }
  HitRatesDock& hit_rates() { return *body<HitRatesDock>("hitRates"); }
  RequestsDock& requests() { return *body<RequestsDock>("requests"); }
  FiguresPage& figures() { return *figures_page_; }
  bool showing_start_page() const { return pages_->currentIndex() == 0; }
  /// As a mode of its own; until the session is there Live shows the page anyway.
  void show_start_page(bool shown);
  /// Closes without a question, even if a figure is lost: nobody answers.
  void close_now();
  /// Asks whoever made the window to open the same session again.
  void retry(bool separate_store);
  QString status_text() const { return status_->text(); }

  ThemeKind theme_kind() const { return theme_kind_; }
  void set_theme(ThemeKind kind);
  /// Whether the arrangement is written down as it changes; false as often as true before it is again.
  void keep_layout(bool keep) { keeper_->suspend(!keep); }
  /// Text size in percent of the system's, 80 to 200; remembered.
  void set_font_size(int percent);

 signals:
  /// The user wants this workload (or model) instead: whoever made the window closes it and opens another.
  void openRequested(const QString& path);
  void modelRequested(const QString& path);
  /// The same, by itself: a lesson needs another workload, or gives back the one of before. A path, or a sample's name.
  void reopenRequested(const QString& workload, const kvantage::WindowBeginning& begin);
  /// Loading failed: the same again, or with a store of its own.
  void retryRequested(bool separate_store);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void make_center();
  void make_files();
  void make_modes(const DockContext& context);
  void offer_lessons();
  void connect_figures();
  void connect_models();
  void connect_advice();
  void frame();
  void show_state(RunState state);
  void show_status();
  void show_replay(bool active);

  Session& session_;
  WindowOptions options_;
  QString settings_path_, settings_notice_;  // what was wrong with that file, if anything
  QSettings preferences_;
  SessionSwitch shown_;  // the session, or a recorded run in its place
  RunModel run_;
  SettingsController controller_;
  FrontierDriver driver_;
  ReplayController replay_;
  QTimer frame_timer_;
  bool started_ = false, arranged_ = false, keeping_ = false;

  QStackedWidget* pages_ = nullptr;
  Banner* banner_ = nullptr;
  FigureQuestion* figure_question_ = nullptr;
  WindowFiles* files_ = nullptr;
  StartPage* start_page_ = nullptr;
  FrontierPage* frontier_page_ = nullptr;
  FiguresPage* figures_page_ = nullptr;
  WindowModes* modes_ = nullptr;
  WindowDocks* docks_ = nullptr;
  std::unique_ptr<Layouts> layouts_;
  LayoutKeeper* keeper_ = nullptr;
  SessionKeeper* session_keeper_ = nullptr;  // null: it is not known what is served
  Presenter* presenter_ = nullptr;
  Tour* tour_ = nullptr;
  Lessons* lessons_ = nullptr;
  ChartsExport* charts_export_ = nullptr;
  WindowActions* actions_ = nullptr;
  WindowStatusBar* status_ = nullptr;
  LazyRefresh* lazy_status_ = nullptr;
  ThemeKind theme_kind_ = ThemeKind::light;
};

}  // namespace kvantage
