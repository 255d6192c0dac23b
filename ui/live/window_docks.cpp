#include "ui/live/window_docks.h"

#include <QAction>
#include <QTimer>

#include "ui/widgets/dock_scroll.h"

namespace kvantage {
namespace {
constexpr const char* seen_property = "kvantage.seen";
}  // namespace

WindowDocks::WindowDocks(QMainWindow& window, const DockContext& context) : QObject(&window), window_(window) {
  for (const DockEntry& entry : dock_registry()) {
    auto* dock = new QDockWidget(entry.title, &window);
    dock->setObjectName(entry.id);
    QWidget* body = bodies_[entry.id] = entry.make(context);
    const bool limited = qobject_cast<QAbstractScrollArea*>(body) != nullptr || body->maximumHeight() < QWIDGETSIZE_MAX;
    dock->setWidget(limited ? body : new DockScroll(body));
    dock->setAccessibleName(entry.title);
    dock->setAccessibleDescription(entry.tip);
    docks_[entry.id] = dock;
    make_action(entry);
    for (auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
      connect(dock, signal, this, [this] { sync_titles(); });
    connect(dock, &QDockWidget::dockLocationChanged, this, [this] { sync_titles(); });
  }
}

WindowDocks::~WindowDocks() {
  for (auto& [id, dock] : docks_) {
    dock->disconnect(this);
    delete dock;
  }
}

// Qt's own action hides a dock that stands behind another tab, although nobody saw it.
void WindowDocks::make_action(const DockEntry& entry) {
  auto* made = actions_[entry.id] = new QAction(entry.title, &window_);
  made->setCheckable(true);
  if (!entry.shortcut.isEmpty()) made->setShortcut(QKeySequence(entry.shortcut));
  made->setStatusTip(tr("Show or hide %1: %2").arg(entry.title, entry.tip));
  made->setToolTip(made->statusTip());
  QAction* of_qt = docks_.at(entry.id)->toggleViewAction();
  connect(of_qt, &QAction::toggled, made, &QAction::setChecked);
  made->setChecked(of_qt->isChecked());
  connect(made, &QAction::triggered, this, [this, id = entry.id] { choose(id); });
  // Qt reports tabs that come and go only this way: one that another covers is not hidden, nor is its region empty.
  QDockWidget* dock = docks_.at(entry.id);
  connect(dock, &QDockWidget::visibilityChanged, dock, [dock](bool seen) { dock->setProperty(seen_property, seen); });
}

void WindowDocks::choose(const QString& id) {
  QDockWidget* chosen = docks_.at(id);
  const bool seen = chosen->isFloating() || chosen->property(seen_property).toBool();
  if (chosen->isHidden() || !seen)
    bring_up(id);
  else
    chosen->close();
  actions_.at(id)->setChecked(!chosen->isHidden());
}

void WindowDocks::bring_up(const QString& id) {
  emit aboutToShow();
  QDockWidget* shown = docks_.at(id);
  shown->show();
  shown->raise();
}

void WindowDocks::set_theme(const Theme& theme) {
  for (auto& [id, body] : bodies_)
    if (auto* view = dynamic_cast<Themed*>(body)) view->set_theme(theme);
}

void WindowDocks::sync_titles() {
  if (titles_due_) return;
  titles_due_ = true;
  QTimer::singleShot(0, this, [this] {
    titles_due_ = false;
    for (auto& [id, dock] : docks_) {
      // A tab already says the name; a title under it would only take room.
      const bool tabbed = !dock->isFloating() && !window_.tabifiedDockWidgets(dock).isEmpty();
      if (tabbed == (dock->titleBarWidget() != nullptr)) continue;
      QWidget* old = dock->titleBarWidget();
      dock->setTitleBarWidget(tabbed ? new QWidget(dock) : nullptr);
      delete old;
    }
  });
}

}  // namespace kvantage
