#include "ui/window/layout/presenter.h"

#include <QEvent>
#include <QMenuBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>

#include "ui/look/font_scale.h"

namespace kvantage {

Presenter::Presenter(QMainWindow& window, WindowDocks& docks, LayoutKeeper& keeper, QSettings& settings)
    : QObject(&window),
      window_(window),
      docks_(docks),
      keeper_(keeper),
      settings_(settings),
      escape_(new QShortcut(QKeySequence(Qt::Key_Escape), &window)) {
  escape_->setEnabled(false);
  connect(escape_, &QShortcut::activated, this, &Presenter::leave);
}

QList<QWidget*> Presenter::bars() const {
  QList<QWidget*> found = {window_.menuBar(), window_.statusBar()};
  for (QToolBar* bar : window_.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) found << bar;
  return found;
}

QStringList Presenter::shown_docks() const {
  QStringList shown;
  for (auto& [id, dock] : docks_.all())
    if (!dock->isHidden()) shown << id;
  return shown;
}

void Presenter::enter() {
  if (active_) return;
  active_ = true;
  keeper_.keep();
  keeper_.suspend(true);  // a kill in the middle of a talk must not leave a window without bars
  state_before_ = window_.saveState();
  window_before_ = window_.window()->windowState();
  percent_before_ = font_percent();
  for (QWidget* bar : bars()) bar->hide();
  const QStringList wanted =
      settings_.value("presenter/docks", QStringList{QStringLiteral("controls"), QStringLiteral("tiers")})
          .toStringList();
  for (auto& [id, dock] : docks_.all()) dock->setVisible(wanted.contains(id));
  emit fontWanted(settings_.value("presenter/percent", default_percent).toInt());
  window_.installEventFilter(this);
  window_.window()->showFullScreen();
  for (const int ms : {0, 200})
    QTimer::singleShot(ms, this, &Presenter::share_room);  // once the text has its size, and the window the screen's
  escape_->setEnabled(true);
  emit changed(true);
}

// Docks at the sides keep the width that they had beside others, which large text does not fit in.
void Presenter::share_room() {
  if (!active_) return;
  QList<QDockWidget*> sides;
  for (auto& [id, dock] : docks_.all())
    if (const auto area = window_.dockWidgetArea(dock);
        !dock->isHidden() && !dock->isFloating() && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea))
      sides << dock;
  window_.resizeDocks(sides, QList<int>(sides.size(), window_.width() * 27 / 100), Qt::Horizontal);
}

// A window that grows gives all of its new width to the middle.
bool Presenter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) QTimer::singleShot(0, this, &Presenter::share_room);
  return QObject::eventFilter(watched, event);
}

void Presenter::leave() {
  if (!active_) return;
  active_ = false;
  window_.removeEventFilter(this);
  escape_->setEnabled(false);
  settings_.setValue("presenter/docks", shown_docks());
  settings_.setValue("presenter/percent", font_percent());
  window_.window()->setWindowState(window_before_);
  for (QWidget* bar : bars()) bar->show();
  emit fontWanted(percent_before_);
  window_.restoreState(state_before_);
  keeper_.suspend(false);
  emit changed(false);
}

}  // namespace kvantage
