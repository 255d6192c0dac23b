#include "ui/widgets/lazy_refresh.h"

#include <QEvent>
#include <QWidget>

namespace kvantage {

LazyRefresh::LazyRefresh(QWidget& widget, std::function<void()> refresh, int interval_ms)
    : QObject(&widget), widget_(widget), refresh_(std::move(refresh)) {
  timer_.setSingleShot(true);
  timer_.setInterval(interval_ms);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (dirty_ && widget_.isVisible()) run();
  });
  widget.installEventFilter(this);
}

void LazyRefresh::invalidate() {
  dirty_ = true;
  if (widget_.isVisible() && !timer_.isActive()) timer_.start();
}

void LazyRefresh::flush() {
  if (dirty_) run();
}

void LazyRefresh::run() {
  dirty_ = false;
  ++count_;
  refresh_();
}

bool LazyRefresh::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && dirty_) timer_.start(0);
  return QObject::eventFilter(watched, event);
}

}  // namespace kvantage
