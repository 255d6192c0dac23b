#include "ui/charts/chart_zoom.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QRubberBand>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/screen_only.h"
#include "ui/widgets/point_keys.h"
#include "ui/widgets/tip_lines.h"

namespace kvantage {
namespace {

constexpr double least_drag = 5;        // pixels; less is a click
constexpr double degrees_a_step = 120;  // of a wheel, in eighths

/// The part of the box between two corners that is in the area. Unlike that of Qt, one without height or width is still
/// a line: a level drag zooms along x.
QRectF box_within(const QRectF& area, const QPointF& from, const QPointF& to) {
  const auto inside = [&area](const QPointF& at) {
    return QPointF(std::clamp(at.x(), area.left(), area.right()), std::clamp(at.y(), area.top(), area.bottom()));
  };
  return QRectF(inside(from), inside(to)).normalized();
}

QString end_text(double value) { return QString::number(value, 'g', 4); }

/// Of what is shown; of places at least one.
double pan_step(const AxisSpan& shown) {
  return shown.places ? std::max(ChartZoom::key_pan, 1 / std::max(1.0, shown.upper - shown.lower)) : ChartZoom::key_pan;
}

/// Where the hand holds the data after a pan to `to`. Places move in whole ones: the rest of the way is still to come.
QPointF held_after_pan(const QPointF& from, const QPointF& to, const QRectF& area, const AxisRanges& before,
                       const AxisRanges& after) {
  const auto moved = [](const AxisSpan& was, const AxisSpan& is) {
    return (is.lower - was.lower) / (was.upper - was.lower);
  };
  QPointF held = to;
  if (before.x.places) held.setX(from.x() - moved(before.x, after.x) * area.width());
  if (before.y.places) held.setY(from.y() + moved(before.y, after.y) * area.height());
  return held;
}

}  // namespace

ChartZoom::ChartZoom(QWidget& owner, QWidget& canvas, Zoomable& chart, const QString& name, PointKeys* keys)
    : QObject(&owner),
      owner_(owner),
      canvas_(canvas),
      chart_(chart),
      keys_(keys),
      reset_button_(new QToolButton(&canvas)) {
  reset_button_->setObjectName("resetZoom");
  reset_button_->setText(tr("Reset zoom"));
  reset_button_->setToolTip(tr("Show all data (0, or double-click)"));
  reset_button_->setAccessibleName(tr("Reset zoom of %1").arg(name));
  reset_button_->setFocusPolicy(Qt::NoFocus);  // the keyboard has a key for it
  reset_button_->setCursor(Qt::ArrowCursor);
  reset_button_->setProperty("framed", true);  // it is over data
  reset_button_->setProperty(screen_only_property, true);
  reset_button_->hide();
  connect(reset_button_, &QToolButton::clicked, this, &ChartZoom::reset);
  set_tip_line(owner, TipLine::mouse,
               tr("Zoom with the wheel, + or -, or Shift and drag. Pan with the middle button, Ctrl and drag, or "
                  "Ctrl and arrow keys. 0 or a double-click shows all."));
  add_actions(name);
  if (keys_ != nullptr)
    connect(keys_, &PointKeys::moved, this, [this](const PointStop& stop) { bring_into_view(stop.mark.center()); });
  canvas.installEventFilter(this);
  owner.installEventFilter(this);
}

void ChartZoom::add_actions(const QString& name) {
  auto* line = new QAction(&owner_);
  line->setSeparator(true);
  hold_ = new QAction(tr("&Hold axes"), &owner_);
  hold_->setCheckable(true);
  hold_->setStatusTip(tr("Keep the axes of %1 still while data comes in").arg(name));
  connect(hold_, &QAction::toggled, this, [this](bool on) {
    update_data();
    view_.hold(on);
    show();
  });
  reset_action_ = new QAction(tr("Reset &zoom"), &owner_);
  reset_action_->setStatusTip(tr("Show all data of %1").arg(name));
  reset_action_->setEnabled(false);
  connect(reset_action_, &QAction::triggered, this, &ChartZoom::reset);
  for (QAction* made : {hold_, reset_action_}) made->setData(name);
  owner_.addActions({line, hold_, reset_action_});
}

void ChartZoom::update_data() { view_.set_data(chart_.data_ranges(), chart_.y_page()); }

void ChartZoom::sync() {
  update_data();
  show();
}

void ChartZoom::forget() { view_.forget(); }

void ChartZoom::show() {
  chart_.show_ranges(view_.shown());
  reset_action_->setEnabled(zoomed());
  if (zoomed()) place_button();
  reset_button_->setVisible(zoomed());
  describe();
  canvas_.update();
}

void ChartZoom::place_button() {
  reset_button_->adjustSize();
  const QRectF area = chart_.zoom_area();
  reset_button_->move(static_cast<int>(area.right()) - reset_button_->width() - 3, static_cast<int>(area.top()) + 3);
  reset_button_->raise();
}

/// For a screen reader: what part is shown.
void ChartZoom::describe() {
  if (keys_ == nullptr) return;
  if (!zoomed()) return keys_->set_note({});
  if (const QString own = chart_.shown_text(); !own.isEmpty())
    return keys_->set_note(tr("zoomed: %1; 0 resets").arg(own));
  const AxisChoice axes = chart_.zoom_axes();
  const auto& [x, y] = view_.shown();
  const auto part = [this](Qt::Orientation orientation, const AxisSpan& span, const QString& form) {
    const auto names = chart_.end_names(orientation);
    return names ? form.arg(names->first, names->second) : form.arg(end_text(span.lower), end_text(span.upper));
  };
  QStringList parts;
  if (axes.x) parts << part(Qt::Horizontal, x, tr("horizontal axis %1 to %2"));
  if (axes.y) parts << part(Qt::Vertical, y, tr("vertical axis %1 to %2"));
  keys_->set_note(tr("zoomed: %1; 0 shows all").arg(parts.join(QStringLiteral(", "))));
}

QPointF ChartZoom::share_of(const QPointF& at) const {
  const QRectF area = chart_.zoom_area();
  if (!(area.width() > 0) || !(area.height() > 0)) return {0.5, 0.5};
  return {(at.x() - area.left()) / area.width(), (area.bottom() - at.y()) / area.height()};
}

AxisChoice ChartZoom::axes_at(const QPointF& at) const {
  const QRectF area = chart_.zoom_area();
  AxisChoice axes = chart_.zoom_axes();
  if (at.x() < area.left() && axes.y) axes.x = false;
  if (at.y() > area.bottom() && axes.x) axes.y = false;
  return axes;
}

void ChartZoom::zoom(double factor, AxisChoice axes) { zoom_at(chart_.zoom_area().center(), factor, axes); }

void ChartZoom::zoom_at(const QPointF& at, double factor, AxisChoice axes) {
  update_data();
  const AxisChoice may = chart_.zoom_axes();
  if (!view_.zoom_about(share_of(at), factor, {axes.x && may.x, axes.y && may.y})) return;
  show();
  emit moved();
}

void ChartZoom::zoom_to(const QRectF& box) {
  const QRectF inside = box_within(chart_.zoom_area(), box.topLeft(), box.bottomRight());
  AxisChoice axes = chart_.zoom_axes();
  axes.x = axes.x && inside.width() >= least_drag;
  axes.y = axes.y && inside.height() >= least_drag;
  if (!axes.any()) return;
  update_data();
  if (!view_.zoom_to(QRectF(share_of(inside.bottomLeft()), share_of(inside.topRight())), axes)) return;
  show();
  emit moved();
}

void ChartZoom::pan(const QPointF& by) {
  update_data();
  if (!view_.pan(by, chart_.zoom_axes())) return;
  show();
  emit moved();
}

void ChartZoom::show_x(const std::optional<AxisSpan>& span) {
  update_data();
  if (span)
    view_.show_x(*span);
  else
    view_.show_all_x();
  show();
}

void ChartZoom::reset() {
  update_data();
  const bool was = zoomed();
  if (!view_.reset() && !was) return;
  show();
  emit moved();
}

void ChartZoom::bring_into_view(const QPointF& at) {
  if (!zoomed() || chart_.zoom_area().adjusted(-1, -1, 1, 1).contains(at)) return;
  const QPointF share = share_of(at);
  pan({share.x() < 0 || share.x() > 1 ? share.x() - 0.5 : 0, share.y() < 0 || share.y() > 1 ? share.y() - 0.5 : 0});
}

bool ChartZoom::page_scrolls() const {
  for (const QWidget* at = owner_.parentWidget(); at != nullptr; at = at->parentWidget())
    if (const auto* area = qobject_cast<const QAbstractScrollArea*>(at))
      if (area->verticalScrollBar()->maximum() > area->verticalScrollBar()->minimum()) return true;
  return false;
}

bool ChartZoom::wheel(const QWheelEvent& event) {
  const bool x_only = event.modifiers() & Qt::ShiftModifier, y_only = event.modifiers() & Qt::ControlModifier;
  if (!x_only && !y_only && (view_.scrolls() || page_scrolls())) return false;
  AxisChoice axes = axes_at(event.position());
  if (x_only && !y_only) axes = {chart_.zoom_axes().x, false};
  if (y_only && !x_only) axes = {false, chart_.zoom_axes().y};
  if (!axes.any()) return false;
  // Some systems turn the wheel sideways while Shift is down.
  int turned = event.angleDelta().y() != 0 || !x_only ? event.angleDelta().y() : event.angleDelta().x();
  if (turned == 0) return false;
  const auto& [x, y] = view_.shown();
  if ((axes.x && x.places) || (axes.y && y.places)) {  // each step is a place at least: a touch pad sends small parts
    constexpr int step = static_cast<int>(degrees_a_step);
    if ((wheel_rest_ < 0) != (turned < 0)) wheel_rest_ = 0;  // turned back
    wheel_rest_ += turned;
    turned = wheel_rest_ / step * step;
    wheel_rest_ -= turned;
    if (turned == 0) return true;
  }
  QToolTip::hideText();
  zoom_at(event.position(), std::pow(key_factor, turned / degrees_a_step), axes);
  return true;
}

bool ChartZoom::pressed(const QMouseEvent& event) {
  if (!chart_.zoom_axes().any()) return false;
  const bool shift = event.modifiers() & Qt::ShiftModifier, control = event.modifiers() & Qt::ControlModifier;
  const bool box = event.button() == Qt::LeftButton && shift && !control;
  const bool hand = event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && control && !shift);
  if (!box && !(hand && (zoomed() || view_.scrolls()))) return false;
  if (!chart_.zoom_area().adjusted(-least_drag, -least_drag, least_drag, least_drag).contains(event.position()))
    return false;
  QToolTip::hideText();
  from_ = event.position();
  drag_ = box ? Drag::box : Drag::pan;
  if (hand) canvas_.setCursor(Qt::ClosedHandCursor);
  return true;
}

bool ChartZoom::dragged(const QMouseEvent& event) {
  if (drag_ == Drag::none) return false;
  if (drag_ == Drag::pan) {
    const AxisRanges before = view_.shown();
    pan(share_of(from_) - share_of(event.position()));
    from_ = held_after_pan(from_, event.position(), chart_.zoom_area(), before, view_.shown());
    return true;
  }
  if (!band_) band_ = new QRubberBand(QRubberBand::Rectangle, &canvas_);
  band_->setGeometry(box_within(chart_.zoom_area(), from_, event.position()).toAlignedRect());
  band_->show();
  return true;
}

bool ChartZoom::released(const QMouseEvent& event) {
  if (drag_ == Drag::none) return false;
  const bool box = drag_ == Drag::box;
  drag_ = Drag::none;
  if (!box) {
    canvas_.unsetCursor();
    return true;
  }
  delete band_;
  zoom_to(QRectF(from_, event.position()));
  return true;
}

bool ChartZoom::key(const QKeyEvent& event, bool act) {
  if (!chart_.zoom_axes().any()) return false;
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  if (modifiers == Qt::ControlModifier) {
    QPointF by;
    const auto& [x, y] = view_.shown();
    switch (event.key()) {
      case Qt::Key_Left:
        by = {-pan_step(x), 0};
        break;
      case Qt::Key_Right:
        by = {pan_step(x), 0};
        break;
      case Qt::Key_Up:
        by = {0, pan_step(y)};
        break;
      case Qt::Key_Down:
        by = {0, -pan_step(y)};
        break;
      default:
        return false;
    }
    if (act) pan(by);
    return true;
  }
  // Shift: where a keyboard has the sign on the upper half of a key.
  if (modifiers != Qt::NoModifier && modifiers != Qt::ShiftModifier) return false;
  switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      if (act) zoom(key_factor);
      return true;
    case Qt::Key_Minus:
      if (act) zoom(1 / key_factor);
      return true;
    case Qt::Key_0:
      if (act) reset();
      return true;
    default:
      return false;
  }
}

bool ChartZoom::mouse_event(QEvent& event) {
  switch (event.type()) {
    case QEvent::Resize:
      if (zoomed()) place_button();
      return false;
    case QEvent::Wheel:
      return wheel(static_cast<const QWheelEvent&>(event));
    case QEvent::MouseButtonPress:
      return pressed(static_cast<const QMouseEvent&>(event));
    case QEvent::MouseMove:
      return dragged(static_cast<const QMouseEvent&>(event));
    case QEvent::MouseButtonRelease:
      return released(static_cast<const QMouseEvent&>(event));
    case QEvent::MouseButtonDblClick:
      if (static_cast<const QMouseEvent&>(event).button() != Qt::LeftButton || !zoomed()) return false;
      reset();
      return true;
    default:
      return false;
  }
}

bool ChartZoom::eventFilter(QObject* watched, QEvent* event) {
  const bool is_key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
  if (watched == &owner_ && is_key) {
    const bool act = event->type() == QEvent::KeyPress;
    if (key(*static_cast<const QKeyEvent*>(event), act)) {
      event->accept();
      return true;
    }
  } else if (watched == &canvas_ && mouse_event(*event)) {
    event->accept();
    return true;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace kvantage
