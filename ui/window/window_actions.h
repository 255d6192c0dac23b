// What the user can tell the window to do: actions, their menus and the toolbar. One action is in one place of the
// code; menus, toolbar and shortcuts share it.
#pragma once

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QObject>
#include <QSettings>
#include <QToolBar>
#include <QToolButton>

#include "core/ports/session.h"
#include "ui/learn/help_window.h"
#include "ui/look/theme.h"
#include "ui/pictures/charts_export.h"
#include "ui/session/window_models.h"
#include "ui/welcome/start_page.h"
#include "ui/window/command_palette.h"
#include "ui/window/layout/presenter.h"
#include "ui/window/parts/window_guides.h"
#include "ui/window/parts/window_looks.h"
#include "ui/window/parts/window_opening.h"
#include "ui/window/parts/window_pages.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_options.h"

namespace kvantage {

/// What the menus reach. All of it outlives the actions.
struct ActionTargets {
  QMainWindow& window;
  const WindowOptions& options;
  QSettings& kept;
  WindowModels& models;
  WindowPages& pages;
  WindowViews& views;
  Presenter& presenter;
  WindowLooks& looks;
  WindowGuides& guides;
  WindowOpening& opening;
};

class WindowActions : public QObject {
  Q_OBJECT
 public:
  /// Fills menu bar and toolbar of the window.
  explicit WindowActions(const ActionTargets& targets);
  QMenu& fault_menu() { return *fault_menu_; }
  CommandPalette& palette() { return *palette_; }
  void show_state(RunState state);
  /// Profile now, or stop it. shown: of the session that profiles, not of a recorded run.
  void show_profiling(RunState state, ProfilingAll profiling, bool shown);
  /// The run actions move a recorded run, and there is nothing to undo in it.
  void show_replay(bool active);
  void set_theme(const Theme& theme);
  /// What the start page leads to, by the same actions.
  StartOffers start_offers();

 private:
  template <typename Slot>
  QAction* make(const QString& text, const QString& tip, const QKeySequence& key, Slot slot);
  void make_run_actions(Session& session);
  void make_toolbar();
  void make_file_menu();
  void make_other_menus();
  void make_view_menu();
  void make_help_menu();
  void show_help(const QString& page);

  const ActionTargets to_;
  QMainWindow& window_;
  ChartsExport* charts_export_;
  QAction *start_ = nullptr, *pause_ = nullptr, *step_ = nullptr, *stop_ = nullptr, *undo_ = nullptr, *redo_ = nullptr,
          *dark_ = nullptr, *present_ = nullptr, *profile_ = nullptr, *stop_profiling_ = nullptr;
  QMenu *layout_menu_ = nullptr, *fault_menu_ = nullptr;
  QToolBar* bar_ = nullptr;
  QToolButton* layout_button_ = nullptr;
  CommandPalette* palette_ = nullptr;
  HelpWindow* help_ = nullptr;  // null until it is first opened
};

}  // namespace kvantage
