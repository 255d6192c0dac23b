// What tests look at in a window: its data, and its parts as they are found among what it owns.
#pragma once

#include <QDockWidget>
#include <QStackedWidget>

#include "ui/learn/lesson_stage.h"
#include "ui/learn/lessons.h"
#include "ui/learn/tour.h"
#include "ui/live/contexts/contexts_dock.h"
#include "ui/live/contexts/sensitivity_dock.h"
#include "ui/live/controls/controls_dock.h"
#include "ui/live/frontier/frontier_page.h"
#include "ui/live/requests/requests_dock.h"
#include "ui/live/tiers/hit_rates_dock.h"
#include "ui/live/tiers/tiers_dock.h"
#include "ui/papers/figure_question.h"
#include "ui/papers/figures_page.h"
#include "ui/pictures/charts_export.h"
#include "ui/welcome/start_page.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/lazy_refresh.h"
#include "ui/window/command_palette.h"
#include "ui/window/last_session.h"
#include "ui/window/layout/layout_keeper.h"
#include "ui/window/layout/layouts.h"
#include "ui/window/layout/presenter.h"
#include "ui/window/main_window.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_files.h"
#include "ui/window/window_modes.h"
#include "ui/window/window_options.h"
#include "ui/window/window_part.h"
#include "ui/window/window_status_bar.h"

namespace kvantage {

inline RunModel& run_of(MainWindow& window) { return window.models().run; }
inline SettingsController& settings_of(MainWindow& window) { return window.models().settings; }
inline FrontierDriver& driver_of(MainWindow& window) { return window.models().driver; }
inline ReplayController& replay_of(MainWindow& window) { return window.models().replay; }

inline WindowDocks& docks_of(const MainWindow& window) { return part_of<WindowViews>(window).docks(); }
inline WindowModes& modes_of(const MainWindow& window) { return part_of<WindowViews>(window).modes(); }
inline Layouts& layouts_of(const MainWindow& window) { return part_of<WindowViews>(window).layouts(); }
inline QDockWidget* dock_of(const MainWindow& window, const QString& id) { return docks_of(window).dock(id); }

inline FrontierChart& frontier_of(const MainWindow& window) { return part_of<FrontierPage>(window).chart(); }
inline ControlsDock& controls_of(MainWindow& window) { return *window.body<ControlsDock>("controls"); }
inline SensitivityDock& sensitivity_of(MainWindow& window) { return *window.body<SensitivityDock>("sensitivity"); }
inline ContextsDock& contexts_of(MainWindow& window) { return *window.body<ContextsDock>("contexts"); }
inline TiersDock& tiers_of(MainWindow& window) { return *window.body<TiersDock>("tiers"); }
inline HitRatesDock& hit_rates_of(MainWindow& window) { return *window.body<HitRatesDock>("hitRates"); }
inline RequestsDock& requests_of(MainWindow& window) { return *window.body<RequestsDock>("requests"); }
inline FiguresPage& figures_of(MainWindow& window) { return *window.body<FiguresPage>("papers"); }

inline Presenter& presenter_of(const MainWindow& window) { return part_of<Presenter>(window); }
inline Tour& tour_of(const MainWindow& window) { return part_of<Tour>(window); }
inline Lessons& lessons_of(const MainWindow& window) { return part_of<Lessons>(window); }
inline WindowFiles& files_of(const MainWindow& window) { return part_of<WindowFiles>(window); }
inline CommandPalette& palette_of(const MainWindow& window) { return part_of<CommandPalette>(window); }
inline ChartsExport& charts_export_of(const MainWindow& window) { return part_of<ChartsExport>(window); }
inline QMenu& fault_menu_of(const MainWindow& window) { return part_of<WindowActions>(window).fault_menu(); }
inline QString status_text_of(const MainWindow& window) { return part_of<WindowStatusBar>(window).text(); }

/// Where the lessons of a window play.
inline LessonStage stage_of(MainWindow& window) {
  return {part_of<FrontierPage>(window), part_of<WindowViews>(window), run_of(window).log};
}

/// Whether the start page is in the middle: as a mode, or because Live has nothing to show yet.
inline bool shows_start_page(const MainWindow& window) {
  return window.findChild<QStackedWidget*>("centrePages")->currentWidget() == &part_of<StartPage>(window);
}
/// As a mode; false: back to Live if that mode is shown.
inline void show_start_page(MainWindow& window, bool shown) {
  if (shown)
    window.show_view(start_mode);
  else if (modes_of(window).current() == QLatin1String(start_mode))
    window.show_view(live_mode);
}

}  // namespace kvantage
