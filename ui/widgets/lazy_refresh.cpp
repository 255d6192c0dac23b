#include "ui/widgets/lazy_refresh.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QWidget>

namespace kvantage {
namespace {

/// When the latest turn of a window was; one for each, its child.
class LatestTurn : public QObject {
 public:
  explicit LatestTurn(QWidget* window) : QObject(window) { setObjectName(name()); }
  static QString name() { return QStringLiteral("latestRefreshTurn"); }
  static LatestTurn& of(const QWidget& widget) {
    QWidget* window = widget.window();
    auto* known = window->findChild<QObject*>(name(), Qt::FindDirectChildrenOnly);
    return known ? *static_cast<LatestTurn*>(known) : *new LatestTurn(window);
  }
  QElapsedTimer since;
};

}  // namespace

LazyRefresh::LazyRefresh(QWidget& widget, std::function<void()> refresh, int interval_ms, Turns turns)
    : QObject(&widget), widget_(widget), refresh_(std::move(refresh)), interval_ms_(interval_ms), turns_(turns) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (!dirty_ || !widget_.isVisible()) return;
    if (const int wait = wait_for_turn(); wait > 0) timer_.start(wait);
    else run();
  });
  widget.installEventFilter(this);
}

void LazyRefresh::invalidate() {
  dirty_ = true;
  if (widget_.isVisible() && !timer_.isActive()) timer_.start(interval_ms_);
}

// Milliseconds until this may run; 0: it has the turn.
int LazyRefresh::wait_for_turn() {
  if (turns_ == Turns::any_time) return 0;
  QElapsedTimer& since = LatestTurn::of(widget_).since;
  if (!at_once_ && since.isValid() && since.elapsed() < turn_ms) return turn_ms - static_cast<int>(since.elapsed());
  since.start();
  return 0;
}

void LazyRefresh::invalidate_at_once() {
  dirty_ = at_once_ = true;
  if (widget_.isVisible()) timer_.start(0);
}

void LazyRefresh::flush() {
  if (dirty_) run();
}

void LazyRefresh::run() {
  dirty_ = at_once_ = false;
  ++count_;
  refresh_();
}

bool LazyRefresh::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && dirty_) timer_.start(0);
  return QObject::eventFilter(watched, event);
}

}  // namespace kvantage
