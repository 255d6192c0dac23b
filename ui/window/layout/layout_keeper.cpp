#include "ui/window/layout/layout_keeper.h"

#include <QEvent>
#include <QTabWidget>
#include <algorithm>

namespace kvantage {

LayoutKeeper::LayoutKeeper(QMainWindow& window, WindowDocks& docks, Layouts& layouts, QSettings& settings)
    : QObject(&docks), layouts_(layouts), settings_(settings) {
  timer_.setSingleShot(true);
  timer_.setInterval(delay_ms);
  connect(&timer_, &QTimer::timeout, this, &LayoutKeeper::keep);
  window.installEventFilter(this);
  for (auto& [id, dock] : docks.all()) {
    dock->installEventFilter(this);  // a separator that is dragged resizes docks
    for (auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
      connect(dock, signal, this, &LayoutKeeper::changed);
    connect(dock, &QDockWidget::dockLocationChanged, this, &LayoutKeeper::changed);
    for (QTabWidget* tabs : dock->findChildren<QTabWidget*>())
      connect(tabs, &QTabWidget::currentChanged, this, &LayoutKeeper::changed);
  }
}

void LayoutKeeper::suspend(bool off) {
  holds_ = std::max(0, holds_ + (off ? 1 : -1));
  if (off) timer_.stop();
}

void LayoutKeeper::changed() {
  if (!suspended()) timer_.start();
}

void LayoutKeeper::keep() {
  timer_.stop();
  if (suspended()) return;
  layouts_.save_last();
  settings_.sync();
}

bool LayoutKeeper::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::Move) changed();
  return QObject::eventFilter(watched, event);
}

}  // namespace kvantage
