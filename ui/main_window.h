// The window: the Frontier in the middle, docks around it, one 33 ms timer that drains the session's events into the
// models. It opens at once and shows progress while the engine loads; it never waits for the engine and closes at
// any moment. The session must outlive the window.
#pragma once

#include <QLabel>
#include <QMainWindow>
#include <QProgressBar>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <map>
#include <memory>

#include "core/ports/session.h"
#include "ui/charts/frontier_chart.h"
#include "ui/docks/contexts_dock.h"
#include "ui/docks/controls_dock.h"
#include "ui/docks/events_dock.h"
#include "ui/docks/hit_rates_dock.h"
#include "ui/docks/requests_dock.h"
#include "ui/docks/sensitivity_dock.h"
#include "ui/docks/tiers_dock.h"
#include "ui/layouts.h"
#include "ui/models/frontier_driver.h"
#include "ui/models/run_model.h"
#include "ui/models/settings_controller.h"
#include "ui/sample_menu.h"
#include "ui/start_page.h"
#include "ui/widgets/banner.h"
#include "ui/workload_opener.h"

namespace kvantage {

struct WindowOptions {
  QString settings_file;       // empty: the user's own
  bool start_at_once = false;  // begin serving as soon as the session is ready
  CheckWorkload check_workload = {};  // without it no other workload can be opened from the window
  std::vector<SampleEntry> samples = {};  // that ship, for the menu
};

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  static constexpr int frame_ms = 33;

  explicit MainWindow(Session& session, WindowOptions options = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  RunModel& run() { return run_; }
  SettingsController& settings() { return controller_; }
  FrontierDriver& driver() { return driver_; }
  FrontierChart& frontier() { return *frontier_; }
  ControlsDock& controls() { return *controls_; }
  SensitivityDock& sensitivity() { return *sensitivity_; }
  ContextsDock& contexts() { return *contexts_; }
  TiersDock& tiers() { return *tiers_; }
  HitRatesDock& hit_rates() { return *hit_rates_; }
  RequestsDock& requests() { return *requests_; }
  Banner& banner() { return *banner_; }
  Layouts& layouts() { return *layouts_; }
  QMenu& fault_menu() { return *fault_menu_; }
  WorkloadOpener* opener() { return opener_; }
  QDockWidget* dock(const QString& id) { return docks_.at(id); }
  bool showing_start_page() const { return pages_->currentIndex() == 0; }
  QString status_text() const;

  ThemeKind theme_kind() const { return theme_kind_; }
  void set_theme(ThemeKind kind);

 signals:
  /// The user wants this workload instead: whoever made the window closes it and opens another.
  void openRequested(const QString& path);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void make_centre();
  void make_docks();
  void make_actions();
  void make_status_bar();
  void fill_layout_menu();
  void add_dock(const QString& id, const QString& title, QWidget* body);
  void frame();
  void show_state(RunState state);
  void show_status();
  void set_icons();
  void sync_titles();

  Session& session_;
  WindowOptions options_;
  QSettings preferences_;
  RunModel run_;
  SettingsController controller_;
  FrontierDriver driver_;
  QTimer frame_timer_;
  bool started_ = false, arranged_ = false, titles_due_ = false;

  QStackedWidget* pages_ = nullptr;
  Banner* banner_ = nullptr;
  WorkloadOpener* opener_ = nullptr;
  StartPage* start_page_ = nullptr;
  FrontierChart* frontier_ = nullptr;
  ControlsDock* controls_ = nullptr;
  SensitivityDock* sensitivity_ = nullptr;
  ContextsDock* contexts_ = nullptr;
  TiersDock* tiers_ = nullptr;
  HitRatesDock* hit_rates_ = nullptr;
  RequestsDock* requests_ = nullptr;
  EventsDock* events_ = nullptr;
  std::map<QString, QDockWidget*> docks_;
  std::unique_ptr<Layouts> layouts_;

  QAction *start_ = nullptr, *pause_ = nullptr, *step_ = nullptr, *stop_ = nullptr, *undo_ = nullptr, *redo_ = nullptr,
          *theme_ = nullptr;
  QMenu *layout_menu_ = nullptr, *fault_menu_ = nullptr;
  QLabel *state_label_ = nullptr, *model_label_ = nullptr, *workload_label_ = nullptr, *served_label_ = nullptr,
         *eta_label_ = nullptr, *faults_label_ = nullptr;
  QProgressBar* work_bar_ = nullptr;
  ThemeKind theme_kind_ = ThemeKind::light;
};

}  // namespace kvantage
