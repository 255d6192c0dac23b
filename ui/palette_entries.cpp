#include "ui/palette_entries.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QScrollArea>
#include <QTabWidget>
#include <set>

namespace kvantage {
namespace {

QString plain(QString text) {
  return text.remove('&').remove(QStringLiteral("…")).trimmed();
}

PaletteEntry entry_of(QAction& action, const QString& place) {
  QString tip = action.statusTip().isEmpty() ? action.toolTip() : action.statusTip();
  if (tip == plain(action.text())) tip.clear();  // Qt's own: the text again
  return {plain(action.text()), place, action.shortcut().toString(QKeySequence::NativeText), tip, action.isEnabled(),
          action.isCheckable() && action.isChecked(), [at = QPointer<QAction>(&action)] {
            if (at) at->trigger();
          }};
}

void add_menu(QMenu& menu, const QString& place, std::set<QAction*>& seen, std::vector<PaletteEntry>& entries) {
  emit menu.aboutToShow();
  for (QAction* action : menu.actions()) {
    if (action->isSeparator() || action->text().isEmpty()) continue;
    if (QMenu* sub = action->menu()) {
      seen.insert(action);
      add_menu(*sub, place + QStringLiteral(" › ") + plain(action->text()), seen, entries);
    } else if (seen.insert(action).second) {
      entries.push_back(entry_of(*action, place));
    }
  }
}

// Parts that Qt makes inside a control (the line of a spin box, a view's viewport) are reached through the control.
bool is_control(const QWidget& widget) {
  return widget.focusPolicy() != Qt::NoFocus && !widget.accessibleName().isEmpty() &&
         !widget.objectName().startsWith(QStringLiteral("qt_"));
}

// A control that its setting hides (the seed of faults where there are none) would take the keyboard and not be seen; one
// behind another tab only has to be brought up.
bool can_be_seen(const QWidget& control, const QDockWidget& dock) {
  for (const QWidget* at = &control; at && at != &dock; at = at->parentWidget()) {
    const QWidget* parent = at->parentWidget();
    const bool page = parent && qobject_cast<const QTabWidget*>(parent->parentWidget()) && parent->inherits("QStackedWidget");
    if (at->isHidden() && !page && at != dock.widget()) return false;
  }
  return true;
}

}  // namespace

std::vector<QAction*> leaf_actions(QMenu& menu) {
  std::vector<QAction*> leaves;
  emit menu.aboutToShow();
  for (QAction* action : menu.actions()) {
    if (action->isSeparator()) continue;
    if (QMenu* sub = action->menu()) {
      for (QAction* leaf : leaf_actions(*sub)) leaves.push_back(leaf);
    } else {
      leaves.push_back(action);
    }
  }
  return leaves;
}

void bring_into_view(QWidget& control) {
  std::vector<QWidget*> above;
  for (QWidget* at = &control; at; at = at->parentWidget()) above.push_back(at);
  for (auto at = above.rbegin(); at != above.rend(); ++at) {  // from the outside inwards: a tab inside a hidden dock is no good
    if (auto* dock = qobject_cast<QDockWidget*>(*at)) {
      dock->show();
      dock->raise();
    }
    if (auto* tabs = qobject_cast<QTabWidget*>(*at))
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->widget(i)->isAncestorOf(&control)) tabs->setCurrentIndex(i);
  }
  for (QWidget* at : above)
    if (auto* scroll = qobject_cast<QScrollArea*>(at); scroll && scroll != &control) scroll->ensureWidgetVisible(&control);
}

void reveal(QWidget& control) {
  bring_into_view(control);
  control.setFocus(Qt::ShortcutFocusReason);
}

std::vector<PaletteEntry> palette_entries(QMainWindow& window) {
  std::vector<PaletteEntry> entries;
  std::set<QAction*> seen;
  for (QAction* top : window.menuBar()->actions())
    if (QMenu* menu = top->menu()) {
      seen.insert(top);
      add_menu(*menu, plain(top->text()), seen, entries);
    }
  for (QAction* action : window.actions())
    if (!action->isSeparator() && !action->text().isEmpty() && !action->menu() && seen.insert(action).second)
      entries.push_back(entry_of(*action, QStringLiteral("Window")));
  for (QDockWidget* dock : window.findChildren<QDockWidget*>())
    for (QWidget* control : dock->findChildren<QWidget*>()) {
      if (!is_control(*control)) continue;
      entries.push_back({control->accessibleName(), QStringLiteral("Go to › ") + dock->windowTitle(), {},
                         control->toolTip(), control->isEnabled() && can_be_seen(*control, *dock), false,
                         [at = QPointer<QWidget>(control)] {
                           if (at) reveal(*at);
                         }});
    }
  return entries;
}

}  // namespace kvantage
