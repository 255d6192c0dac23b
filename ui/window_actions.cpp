#include "ui/window_actions.h"

#include <QInputDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QToolBar>

#include "ui/fault_menu.h"
#include "ui/icons.h"
#include "ui/main_window.h"

namespace kvantage {

WindowActions::WindowActions(MainWindow& window, Session& session) : QObject(&window), window_(window) {
  make_run_actions(session);
  make_toolbar();
  make_file_menu();
  make_other_menus();
}

template <typename Slot>
QAction* WindowActions::make(const QString& text, const QString& tip, const QKeySequence& key, Slot slot) {
  auto* made = new QAction(text, &window_);
  made->setToolTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
  made->setStatusTip(tip);
  made->setShortcut(key);
  connect(made, &QAction::triggered, this, slot);
  return made;
}

void WindowActions::make_run_actions(Session& session) {
  start_ = make("&Start", "Serve the workload", QKeySequence("F5"), [&session] { session.start(); });
  pause_ =
      make("&Pause", "Finish the request under way, then wait", QKeySequence("F6"), [&session] { session.pause(); });
  step_ = make("S&tep", "Serve one request, then pause", QKeySequence("F7"), [&session] { session.step(); });
  stop_ = make("St&op", "End the run; the request under way is cancelled", QKeySequence("F8"),
               [&session] { session.stop(); });
  QUndoStack& steps = window_.settings().undo_stack();
  undo_ = steps.createUndoAction(&window_);
  undo_->setShortcut(QKeySequence::Undo);
  redo_ = steps.createRedoAction(&window_);
  redo_->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
  dark_ = make("&Dark theme", "Dark or light colours", QKeySequence("Ctrl+T"), [this] {
    window_.set_theme(window_.theme_kind() == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark);
  });
  dark_->setCheckable(true);
}

void WindowActions::make_toolbar() {
  auto* bar = new QToolBar(QStringLiteral("Run"));
  bar->setObjectName("runToolBar");
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->setIconSize({16, 16});
  window_.addToolBar(bar);
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
  layout_button_ = new QToolButton;
  layout_button_->setText(QStringLiteral("Layout"));
  layout_button_->setObjectName("layoutButton");
  layout_button_->setFocusPolicy(Qt::TabFocus);
  layout_button_->setToolTip(QStringLiteral("Named arrangements of the docks"));
  layout_button_->setPopupMode(QToolButton::InstantPopup);
  layout_button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  layout_menu_ = new QMenu(QStringLiteral("&Layout"), &window_);
  layout_button_->setMenu(layout_menu_);
  bar->addWidget(layout_button_);
  bar->addAction(dark_);
  connect(layout_menu_, &QMenu::aboutToShow, this, &WindowActions::fill_layout_menu);
  fill_layout_menu();
}

void WindowActions::make_file_menu() {
  QMenu* file = window_.menuBar()->addMenu(QStringLiteral("&File"));
  if (WorkloadOpener* opener = window_.opener()) {
    file->addAction(make("Open &text file…", "Serve a text of your own; questions are made from it",
                         QKeySequence::Open, [opener] { opener->choose_file(); }));
    file->addAction(make("Open &folder…", "Serve a workload folder or a folder of texts", QKeySequence("Ctrl+Shift+O"),
                         [opener] { opener->choose_folder(); }));
    if (!window_.options().samples.empty())
      file->addMenu(make_sample_menu(
          window_.options().samples, [opener](const QString& path) { opener->offer(path); }, &window_));
    file->addSeparator();
  }
  file->addAction(make("&Quit", "Close the window", QKeySequence::Quit, [this] { window_.close(); }));
}

void WindowActions::make_other_menus() {
  QMenu* edit = window_.menuBar()->addMenu(QStringLiteral("&Edit"));
  edit->addAction(undo_);
  edit->addAction(redo_);
  QMenu* run = window_.menuBar()->addMenu(QStringLiteral("&Run"));
  for (QAction* made : {start_, pause_, step_, stop_}) run->addAction(made);
  run->addSeparator();
  fault_menu_ = make_fault_menu(window_.settings(), &window_);
  run->addMenu(fault_menu_);
  QMenu* view = window_.menuBar()->addMenu(QStringLiteral("&View"));
  for (const DockEntry& entry : dock_registry()) view->addAction(window_.dock(entry.id)->toggleViewAction());
  view->addSeparator();
  view->addMenu(layout_menu_);
  view->addAction(make("&Reset layout", "Put every dock back where it was at first", QKeySequence("Ctrl+0"),
                       [this] { window_.layouts().apply(Layouts::built_in().front()); }));
  view->addAction(dark_);
}

void WindowActions::fill_layout_menu() {
  Layouts& layouts = window_.layouts();
  layout_menu_->clear();
  for (const QString& name : Layouts::built_in())
    layout_menu_->addAction(name, this, [&layouts, name] { layouts.apply(name); });
  const QStringList saved = layouts.saved();
  if (!saved.isEmpty()) layout_menu_->addSeparator();
  for (const QString& name : saved) layout_menu_->addAction(name, this, [&layouts, name] { layouts.apply(name); });
  layout_menu_->addSeparator();
  layout_menu_->addAction(QStringLiteral("&Save as…"), this, [this, &layouts] {
    bool accepted = false;
    const QString name = QInputDialog::getText(&window_, QStringLiteral("Save layout"), QStringLiteral("Name"),
                                               QLineEdit::Normal, {}, &accepted)
                             .trimmed();
    if (accepted && !name.isEmpty()) layouts.save(name);
  });
  if (!saved.isEmpty()) {
    QMenu* remove = layout_menu_->addMenu(QStringLiteral("&Delete"));
    for (const QString& name : saved) remove->addAction(name, this, [&layouts, name] { layouts.remove(name); });
  }
}

void WindowActions::show_state(RunState state) {
  const bool can_run = state == RunState::ready || state == RunState::paused || state == RunState::finished;
  start_->setEnabled(can_run);
  step_->setEnabled(can_run);
  pause_->setEnabled(state == RunState::running);
  stop_->setEnabled(state == RunState::running || state == RunState::paused);
}

void WindowActions::set_theme(const Theme& theme) {
  for (const auto& [action, name] : std::initializer_list<std::pair<QAction*, const char*>>{
           {start_, "start"}, {pause_, "pause"}, {step_, "step"}, {stop_, "stop"},
           {undo_, "undo"}, {redo_, "redo"}, {dark_, "theme"}})
    action->setIcon(icon(QString::fromLatin1(name), theme));
  layout_button_->setIcon(icon("layout", theme));
  dark_->setChecked(theme.kind == ThemeKind::dark);
}

}  // namespace kvantage
