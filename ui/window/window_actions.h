// What the user can tell the window to do: actions, their menus and the toolbar. One action is in one place of the
// code; menus, toolbar and shortcuts share it.
#pragma once

#include <QAction>
#include <QMenu>
#include <QObject>
#include <QToolBar>
#include <QToolButton>

#include "core/ports/session.h"
#include "ui/learn/help_window.h"
#include "ui/look/theme.h"
#include "ui/welcome/start_page.h"
#include "ui/window/command_palette.h"

namespace kvantage {

class MainWindow;

class WindowActions : public QObject {
  Q_OBJECT
 public:
  /// Fills menu bar and toolbar of the window; its docks and layouts are there already.
  explicit WindowActions(MainWindow& window, Session& session);
  QMenu& fault_menu() { return *fault_menu_; }
  CommandPalette& palette() { return *palette_; }
  void show_state(RunState state);
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

  MainWindow& window_;
  QAction *start_ = nullptr, *pause_ = nullptr, *step_ = nullptr, *stop_ = nullptr, *undo_ = nullptr, *redo_ = nullptr,
          *dark_ = nullptr, *present_ = nullptr;
  QMenu *layout_menu_ = nullptr, *fault_menu_ = nullptr;
  QToolBar* bar_ = nullptr;
  QToolButton* layout_button_ = nullptr;
  CommandPalette* palette_ = nullptr;
  HelpWindow* help_ = nullptr;  // null until it is first opened
};

}  // namespace kvantage
