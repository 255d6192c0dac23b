#include "ui/window/palette_entries.h"

#include <QAbstractButton>
#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "ui/charts/chart_table.h"
#include "ui/window/window_modes.h"

namespace kvantage {
namespace {

struct PaletteEntriesText {
  Q_DECLARE_TR_FUNCTIONS(PaletteEntriesText)
};

constexpr const char* opener_property = "kvantage.opener";

QAbstractButton* opener_of(const QWidget& panel) {
  return qobject_cast<QAbstractButton*>(panel.property(opener_property).value<QObject*>());
}

PaletteEntry entry_of(QAction& action, const QString& place) {
  QString tip = action.statusTip().isEmpty() ? action.toolTip() : action.statusTip();
  if (tip == without_mnemonic(action.text())) tip.clear();  // Qt's own: the text again
  PaletteEntry entry{without_mnemonic(action.text()),
                     place,
                     action.shortcut().toString(QKeySequence::NativeText),
                     tip,
                     action.isEnabled(),
                     action.isCheckable() && action.isChecked(),
                     [at = QPointer<QAction>(&action)] {
                       if (at) at->trigger();
                     }};
  entry.of_all_views = action.property(of_all_views_property).toBool();
  return entry;
}

void add_menu(QMenu& menu, const QString& place, std::set<QAction*>& seen, std::vector<PaletteEntry>& entries) {
  emit menu.aboutToShow();
  for (QAction* action : menu.actions()) {
    if (action->isSeparator() || action->text().isEmpty()) continue;
    if (QMenu* sub = action->menu()) {
      seen.insert(action);
      add_menu(*sub, place + QStringLiteral(" › ") + without_mnemonic(action->text()), seen, entries);
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

// A control that its setting hides (the seed of faults where there are none) would take the keyboard and not be seen;
// one behind another tab only has to be brought up.
bool can_be_seen(const QWidget& control, const QWidget& place, const QWidget& body) {
  for (const QWidget* at = &control; at && at != &place; at = at->parentWidget()) {
    const QWidget* parent = at->parentWidget();
    const bool page =
        parent && qobject_cast<const QTabWidget*>(parent->parentWidget()) && parent->inherits("QStackedWidget");
    if (at->isHidden() && !page && at != &body && !opener_of(*at)) return false;
  }
  return true;
}

// What a press does, not what a press sets: boxes to tick are controls.
bool is_button(const QWidget& widget) {
  return is_control(widget) && (qobject_cast<const QPushButton*>(&widget) || qobject_cast<const QToolButton*>(&widget));
}

QMenu* menu_of(const QWidget& button) {
  if (const auto* push = qobject_cast<const QPushButton*>(&button)) return push->menu();
  const auto* tool = qobject_cast<const QToolButton*>(&button);
  return tool ? tool->menu() : nullptr;
}

bool is_export(const QAction& action) { return action.property(export_property).toBool(); }

PaletteEntry export_entry(QWidget& widget, const QString& title, const QString& view, bool seen_there) {
  return {PaletteEntriesText::tr("Export %1…").arg(view),
          title,
          {},
          PaletteEntriesText::tr("As PNG, SVG, PDF, CSV or LaTeX"),
          seen_there,
          false,
          [at = QPointer<QWidget>(&widget)] {
            if (!at) return;
            bring_into_view(*at);  // what is exported is looked at
            auto* menu = new QMenu(at);
            menu->setAttribute(Qt::WA_DeleteOnClose);
            for (QAction* action : at->actions())
              if (is_export(*action)) menu->addAction(action);
            menu->popup(at->mapToGlobal(at->rect().center()));
          },
          false,
          view,
          !widget.visibleRegion().isEmpty()};
}

/// Views, buttons and controls of one dock or of the center.
void add_place(QWidget& place, QWidget& body, const QString& title, std::set<QAction*>& seen,
               std::vector<PaletteEntry>& entries) {
  std::vector<QWidget*> exported;
  for (QWidget* widget : place.findChildren<QWidget*>()) {
    if (qobject_cast<QMenu*>(widget)) continue;
    const bool seen_there = can_be_seen(*widget, place, body);
    for (QAction* action : widget->actions()) {
      if (action->isSeparator() || action->text().isEmpty() || !seen.insert(action).second) continue;
      const QString view = action->data().toString();  // charts say their name
      if (is_export(*action)) {                        // one entry a view; it leads to the choice of a format
        if (std::ranges::find(exported, widget) != exported.end()) continue;
        exported.push_back(widget);
        entries.push_back(export_entry(*widget, title, view, seen_there));
        continue;
      }
      PaletteEntry entry =
          entry_of(*action, view.isEmpty() || view == title ? title : title + QStringLiteral(" › ") + view);
      entry.enabled = entry.enabled && seen_there;
      entry.run = [at = QPointer<QWidget>(widget), run = entry.run] {
        if (at) bring_into_view(*at);  // what is exported or edited is looked at
        run();
      };
      entries.push_back(std::move(entry));
    }
    if (!is_control(*widget)) continue;
    const bool enabled = widget->isEnabled() && seen_there;
    if (QMenu* menu = menu_of(*widget)) {
      const std::size_t first = entries.size();
      add_menu(*menu, title + QStringLiteral(" › ") + widget->accessibleName(), seen, entries);
      for (std::size_t i = first; i < entries.size(); ++i) entries[i].enabled = entries[i].enabled && enabled;
    } else if (is_button(*widget)) {
      auto* button = static_cast<QAbstractButton*>(widget);
      entries.push_back({button->accessibleName(),
                         title,
                         {},
                         button->toolTip(),
                         enabled,
                         button->isCheckable() && button->isChecked(),
                         [at = QPointer<QAbstractButton>(button)] {
                           if (!at) return;
                           bring_into_view(*at);
                           at->click();
                         }});
    } else {
      entries.push_back({widget->accessibleName(),
                         PaletteEntriesText::tr("Go to › %1").arg(title),
                         {},
                         widget->toolTip(),
                         enabled,
                         false,
                         [at = QPointer<QWidget>(widget)] {
                           if (at) reveal(*at);
                         }});
    }
  }
}

}  // namespace

QString without_mnemonic(QString text) {
  static const QRegularExpression apart(QStringLiteral("\\(&.\\)"));  // as in Chinese
  return text.remove(apart).remove('&').remove(QStringLiteral("…")).trimmed();
}

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
  for (auto at = above.rbegin(); at != above.rend();
       ++at) {  // from the outside inwards: a tab inside a hidden dock is no good
    if (auto* dock = qobject_cast<QDockWidget*>(*at)) {
      if (auto* modes = dock->parent()->findChild<WindowModes*>()) modes->leave();
      dock->show();
      dock->raise();
    }
    if (QAbstractButton* opener = opener_of(**at); opener && (*at)->isHidden()) opener->click();
    if (auto* tabs = qobject_cast<QTabWidget*>(*at))
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->widget(i)->isAncestorOf(&control)) tabs->setCurrentIndex(i);
  }
  for (QWidget* at : above)
    if (auto* scroll = qobject_cast<QScrollArea*>(at); scroll && scroll != &control)
      scroll->ensureWidgetVisible(&control);
}

void set_opener(QWidget& panel, QAbstractButton& opener) {
  panel.setProperty(opener_property, QVariant::fromValue<QObject*>(&opener));
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
      add_menu(*menu, without_mnemonic(top->text()), seen, entries);
    }
  for (PaletteEntry& entry : entries) entry.of_menu_bar = true;
  for (QAction* action : window.actions())
    if (!action->isSeparator() && !action->text().isEmpty() && !action->menu() && seen.insert(action).second)
      entries.push_back(entry_of(*action, PaletteEntriesText::tr("Window")));
  if (const auto* pages = window.findChild<QStackedWidget*>(QStringLiteral("centrePages")))
    for (int i = 0; i < pages->count(); ++i)
      if (QWidget* page = pages->widget(i); i > 0 || i == pages->currentIndex())
        add_place(*page, *page, page->accessibleName(), seen, entries);
  for (QDockWidget* dock : window.findChildren<QDockWidget*>())
    if (dock->widget()) add_place(*dock, *dock->widget(), dock->windowTitle(), seen, entries);
  return entries;
}

}  // namespace kvantage
