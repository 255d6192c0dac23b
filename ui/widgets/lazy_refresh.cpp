#include "ui/widgets/lazy_refresh.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QPointer>
#include <QWidget>
#include <algorithm>
#include <vector>

#include "ui/widgets/refresh_rest.h"

namespace kvantage {
namespace {

constexpr int between_ms = 6;  // from the beginning of any to that of the next
constexpr int rest_ms = 3;     // from the painting of what one brought, and from the models' work, to the next
constexpr int frame_ms = 33;

}  // namespace

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
  static int wait(const QElapsedTimer& since, int min_ms) {
    return since.isValid() ? std::max(0, min_ms - static_cast<int>(since.elapsed())) : 0;
  }
  // Models that work all the time (a program that hardly gets to run is late for every tick) hold no view up for longer
  // than a frame.
  int wait_for_models() const { return held_up.isValid() && held_up.elapsed() > frame_ms ? 0 : wait(models, rest_ms); }
  /// Of those that waited for a turn of the same kind, the one that has done so for longest.
  LazyRefresh* first_of(LazyRefresh& asking) {
    LazyRefresh* first = &asking;
    std::erase_if(waiting_, [&](const QPointer<LazyRefresh>& other) {
      if (!other || !other->ripe() || !other->widget_.isVisible() || other->widget_.window() != parent()) return true;
      if (other->turns_ == asking.turns_ && first->since_.msecsTo(other->since_) < 0) first = other;
      return false;
    });
    std::erase_if(waiting_, [&](const QPointer<LazyRefresh>& other) { return other == first; });
    return first;
  }
  void come(LazyRefresh& asking) {
    const bool there =
        std::ranges::any_of(waiting_, [&](const QPointer<LazyRefresh>& other) { return other == &asking; });
    if (!there) waiting_.emplace_back(&asking);
  }
  QElapsedTimer any, chart, painted, models, held_up;

 private:
  std::vector<QPointer<LazyRefresh>> waiting_;

 protected:
  // What a refresh brought is painted after it. A window that was kept waiting would else refresh and paint one view
  // after the other until all are through, and listen to nobody meanwhile.
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::UpdateRequest && watched == parent())
      QMetaObject::invokeMethod(
          this, [this] { painted.start(); }, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
  }
};

LazyRefresh::LazyRefresh(QWidget& widget, std::function<void()> refresh, int interval_ms, Turns turns)
    : QObject(&widget), widget_(widget), refresh_(std::move(refresh)), interval_ms_(interval_ms), turns_(turns) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (!dirty_ || !widget_.isVisible()) return;
    if (const int wait = wait_for_turn(); wait > 0) return timer_.start(wait);
    LazyRefresh* first = at_once_ ? this : LatestTurns::of(widget_).first_of(*this);
    if (first != this) timer_.start(between_ms);
    first->run();
  });
  widget.installEventFilter(this);
}

void LazyRefresh::invalidate() {
  if (!dirty_) since_.start();
  dirty_ = true;
  if (widget_.isVisible() && !timer_.isActive()) timer_.start(interval_ms_);
}

// Milliseconds until this may run; 0: it has the turn.
int LazyRefresh::wait_for_turn() {
  LatestTurns& turns = LatestTurns::of(widget_);
  const bool chart = turns_ == Turns::one_a_frame;
  turns.come(*this);
  int wait = std::max(LatestTurns::wait(turns.any, between_ms), chart ? LatestTurns::wait(turns.chart, turn_ms) : 0);
  if (!since_.isValid() || since_.elapsed() < patience_ms)
    wait = std::max({wait, LatestTurns::wait(turns.painted, rest_ms), turns.wait_for_models()});
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
  if (!dirty_) since_.start();
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
  QMetaObject::invokeMethod(
      &window,
      [&window] {
        for (LazyRefresh* refresh : window.findChildren<LazyRefresh*>()) refresh->run_if_seen();
      },
      Qt::QueuedConnection);
}

void rest_before_refreshes(QWidget& window) { LatestTurns::of(window).models.start(); }

void LazyRefresh::flush() {
  if (dirty_) run();
}

void LazyRefresh::run() {
  dirty_ = at_once_ = false;
  ++count_;
  refresh_();
}

bool LazyRefresh::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show && dirty_) {
    since_.start();
    at_once_ = count_ == 0;  // nothing of it was ever shown
    timer_.start(0);
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace kvantage
