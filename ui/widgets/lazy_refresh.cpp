#include "ui/widgets/lazy_refresh.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QWidget>
#include <algorithm>

#include "ui/widgets/refresh_rest.h"

namespace kvantage {
namespace {

constexpr int between_ms = 6;  // from the beginning of any to that of the next
constexpr int rest_ms = 3;     // from the painting of what one brought, and from the models' work, to the next
constexpr int frame_ms = 33;

/// When the latest turns of a window were; one for each, its child.
class LatestTurns : public QObject {
 public:
  explicit LatestTurns(QWidget* window) : QObject(window) {
    setObjectName(name());
    window->installEventFilter(this);
  }
  static QString name() { return QStringLiteral("latestRefreshTurns"); }
  static LatestTurns& of(const QWidget& widget) {
    QWidget* window = widget.window();
    auto* known = window->findChild<QObject*>(name(), Qt::FindDirectChildrenOnly);
    return known ? *static_cast<LatestTurns*>(known) : *new LatestTurns(window);
  }
  static int wait(const QElapsedTimer& since, int at_least_ms) {
    return since.isValid() ? std::max(0, at_least_ms - static_cast<int>(since.elapsed())) : 0;
  }
  // Models that work all the time (a program that hardly gets to run is late for every tick) hold no view up for longer than a frame.
  int wait_for_models() const { return held_up.isValid() && held_up.elapsed() > frame_ms ? 0 : wait(models, rest_ms); }
  QElapsedTimer any, chart, painted, models, held_up;

 protected:
  // What a refresh brought is painted after it. A window that was kept waiting would else refresh and paint one view after the other
  // until all are through, and listen to nobody meanwhile.
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::UpdateRequest && watched == parent()) QMetaObject::invokeMethod(this, [this] { painted.start(); }, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
  }
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
  LatestTurns& turns = LatestTurns::of(widget_);
  const bool chart = turns_ == Turns::one_a_frame;
  const int wait = std::max({LatestTurns::wait(turns.any, between_ms), LatestTurns::wait(turns.painted, rest_ms), turns.wait_for_models(), chart ? LatestTurns::wait(turns.chart, turn_ms) : 0});
  if (!at_once_ && wait > 0) {
    if (!turns.held_up.isValid()) turns.held_up.start();
    return wait;
  }
  turns.held_up.invalidate();
  turns.any.start();
  if (chart) turns.chart.start();
  return 0;
}

void LazyRefresh::invalidate_at_once() {
  dirty_ = at_once_ = true;
  if (widget_.isVisible()) timer_.start(0);
}

void LazyRefresh::hurry() {
  if (dirty_ && widget_.isVisible()) timer_.start(0);
}

void LazyRefresh::run_if_seen() {
  if (dirty_ && widget_.isVisible()) run();
}

void hurry_refreshes(QWidget& window, Hurry how) {
  if (how == Hurry::in_turn) {
    for (LazyRefresh* refresh : window.findChildren<LazyRefresh*>()) refresh->hurry();
    return;
  }
  // Before the window is painted for whatever was shown already: that request waits behind all others.
  QMetaObject::invokeMethod(&window, [&window] {
    for (LazyRefresh* refresh : window.findChildren<LazyRefresh*>()) refresh->run_if_seen();
  }, Qt::QueuedConnection);
}

void rest_before_refreshes(QWidget& window) {
  LatestTurns::of(window).models.start();
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
