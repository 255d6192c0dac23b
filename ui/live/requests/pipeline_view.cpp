#include "ui/live/requests/pipeline_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/ticks.h"
#include "ui/look/pictured.h"
#include "ui/text/words.h"
#include "ui/widgets/accessible_role.h"
#include "ui/widgets/slice_paint.h"

namespace kvantage {
namespace {

using Kind = RequestSpan::Kind;
constexpr double min_range_ns = 1000;  // a microsecond across
constexpr double min_piece_box = 1;    // pixels: the shortest slice can be seen
constexpr double long_queue = 3;       // times the service

QColor blend(const QColor& a, const QColor& b, double share) {
  const auto mix = [share](double x, double y) { return static_cast<float>(x + (y - x) * share); };
  return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

}  // namespace

PipelineView::PipelineView(PipelineModel& model, QWidget* parent)
    : QWidget(parent), model_(model), theme_(theme_of(ThemeKind::light)) {
  setAccessibleName(tr("Timeline of the request"));
  set_accessible_role(*this, QAccessible::Chart);
  setToolTip(tr(
      "Zoom with the wheel, + or -, or Shift and drag; pan by dragging or with the arrow keys. 0 or a double-click "
      "resets. Home: up to the first token. End: the whole request. Ctrl+Left and Ctrl+Right move between spans; Esc "
      "leaves."));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&model_, &PipelineModel::changed, this, [this] {
    chosen_ = -1;
    fit();
  });
  fit();
}

QColor PipelineView::color(const Theme& theme, Kind kind) {
  switch (kind) {
    case Kind::queue:
      return theme.faint;
    case Kind::lookup:
      return theme.lookup;
    case Kind::wait:
    case Kind::read:
      return theme.load;
    case Kind::write:
      return theme.muted;
    case Kind::unpack:
      return theme.unpack;
    case Kind::context_prefill:
      return theme.context_prefill;
    case Kind::question_prefill:
      return theme.question_prefill;
    case Kind::recompute:
      return theme.context_prefill;
    case Kind::prompt_eviction:
    case Kind::decode:
      return theme.accent;
  }
  return theme.muted;
}

void PipelineView::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

QRectF PipelineView::plot() const {
  double label = 0;
  for (int lane = 0; lane < PipelineModel::lane_count; ++lane)
    label = std::max<double>(
        label, fontMetrics().horizontalAdvance(PipelineModel::lane_name(static_cast<PipelineModel::Lane>(lane))));
  const double left = label + 20, below = fontMetrics().height() + 8;
  return {left, 4, std::max(20.0, width() - left - 10), std::max(20.0, height() - below - 4)};
}

QRectF PipelineView::lane_box(PipelineModel::Lane lane) const {
  const QRectF area = plot();
  const int place = lane, lanes = PipelineModel::lane_count;
  const double high = area.height() / lanes;
  return {area.left(), area.top() + place * high, area.width(), high};
}

double PipelineView::x_of(double ns) const {
  const QRectF area = plot();
  return area.left() + area.width() * (ns - from_) / (to_ - from_);
}

double PipelineView::ns_at(double x) const {
  const QRectF area = plot();
  return from_ + std::clamp((x - area.left()) / area.width(), 0.0, 1.0) * (to_ - from_);
}

QRectF PipelineView::slice(std::size_t index) const {
  const RequestSpan& span = model_.spans()->spans[index];
  const QRectF lane = lane_box(PipelineModel::lane_of(span.kind));
  const double left = x_of(static_cast<double>(span.start_ns)),
               right = std::max(left + min_piece_box, x_of(static_cast<double>(span.end_ns())));
  if (right < lane.left() || left > lane.right()) return {};
  const double high = std::min(lane.height() - 6, 34.0);
  QRectF box(std::max(left, lane.left()), lane.center().y() - high / 2, 0, high);
  box.setRight(std::min(right, lane.right()));
  return box;
}

void PipelineView::fit() {
  const double service = model_.service_start_ns(), first = model_.first_token_ns();
  const bool queued_long = !whole_ && service > long_queue * (first - service);
  set_range(queued_long ? service : 0, whole_ ? model_.end_ns() : first);
}

void PipelineView::set_range(double from, double to) {
  const double room = std::max(min_range_ns, model_.end_ns());
  const double wide = std::clamp(to - from, min_range_ns, room * 1.05);
  from_ = std::clamp(from, 0.0, std::max(0.0, room * 1.05 - wide));
  to_ = from_ + wide;
  update();
}

void PipelineView::show_first_token() {
  whole_ = false;
  fit();
}

void PipelineView::show_whole() {
  whole_ = true;
  fit();
}

void PipelineView::zoom(double factor, double x) {
  const double at = ns_at(x), share = (at - from_) / (to_ - from_);
  const double wide = std::max(min_range_ns, (to_ - from_) * factor);
  set_range(at - share * wide, at - share * wide + wide);
}

void PipelineView::pan(double pixels) {
  const double by = pixels / plot().width() * (to_ - from_);
  set_range(from_ + by, to_ + by);
}

int PipelineView::slice_at(const QPointF& at) const {
  if (model_.spans() == nullptr) return -1;
  const std::size_t count = model_.spans()->spans.size();
  for (std::size_t i = count; i-- > 0;)  // the last one painted is on top
    if (slice(i).adjusted(-1, 0, 1, 0).contains(at)) return static_cast<int>(i);
  return -1;
}

void PipelineView::draw_axis(QPainter& painter) const {
  const QRectF area = plot();
  for (const double tick : linear_ticks(from_ * 1e-6, to_ * 1e-6)) {  // milliseconds
    const double x = x_of(tick * 1e6);
    if (x < area.left() || x > area.right()) continue;
    painter.setPen(theme_.grid);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(theme_.muted);
    const QString text = QStringLiteral("%1 ms").arg(QString::number(tick, 'g', 6));
    const double wide = fontMetrics().horizontalAdvance(text);
    painter.drawText(
        QPointF(std::clamp(x - wide / 2, area.left(), area.right() - wide), area.bottom() + fontMetrics().ascent() + 4),
        text);
  }
}

void PipelineView::draw_slice(QPainter& painter, const RequestSpan& span, const QRectF& box) const {
  const int layers = model_.spans()->layers;
  const double share = span.layer >= 0 && layers > 1 ? 0.45 * span.layer / (layers - 1) : 0;
  const QColor ground = blend(color(theme_, span.kind), theme_.base, share);
  const QString text = span.layer >= 0 ? QString::number(span.layer + 1) : PipelineModel::kind_name(span.kind);
  paint_slice(painter, theme_, box, {ground, text, span.kind == Kind::wait || span.kind == Kind::queue});
}

void PipelineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.base);
  if (model_.spans() == nullptr) return;
  for (int lane = 0; lane < PipelineModel::lane_count; ++lane) {
    const QRectF box = lane_box(static_cast<PipelineModel::Lane>(lane));
    if (lane % 2 == 1) painter.fillRect(box, theme_.alternate);
    painter.setPen(theme_.text);
    painter.drawText(QRectF(0, box.top(), box.left() - 8, box.height()), Qt::AlignRight | Qt::AlignVCenter,
                     PipelineModel::lane_name(static_cast<PipelineModel::Lane>(lane)));
  }
  draw_axis(painter);
  const auto& spans = model_.spans()->spans;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (const QRectF box = slice(i); box.width() > 0) draw_slice(painter, spans[i], box);
  const QRectF area = plot();
  if (const double x = x_of(model_.first_token_ns()); x >= area.left() && x <= area.right()) {
    painter.setPen(QPen(theme_.text, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const QString text = tr("first token");
    const double wide = fontMetrics().horizontalAdvance(text);
    const QPointF at(x + 4 + wide < area.right() ? x + 4 : x - 4 - wide, area.top() + fontMetrics().ascent());
    painter.fillRect(QRectF(at.x() - 3, area.top(), wide + 6, fontMetrics().height()),
                     theme_.base);  // over what ends there
    painter.drawText(at, text);
  }
  if (chosen_ >= 0) {
    painter.setPen(QPen(theme_.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(slice(static_cast<std::size_t>(chosen_)));
  }
  if (shows_focus(*this)) {
    painter.setPen(QPen(theme_.accent, 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void PipelineView::wheelEvent(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  if (steps == 0) return pan(-event->angleDelta().x());
  zoom(std::pow(0.8, steps), event->position().x());
  event->accept();
}

void PipelineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  drag_from_ = event->position();
  if (event->modifiers() & Qt::ShiftModifier) {
    band_ = new QRubberBand(QRubberBand::Rectangle, this);
    return;
  }
  dragging_ = true;
  const int at = slice_at(event->position());
  if (at >= 0) {
    chosen_ = at;
    emit told(model_.span_text(model_.spans()->spans[static_cast<std::size_t>(at)]));
    update();
  }
}

void PipelineView::mouseMoveEvent(QMouseEvent* event) {
  if (band_) {
    const QRectF area = plot();
    band_->setGeometry(
        (QRectF(QPointF(drag_from_.x(), area.top()), QPointF(event->position().x(), area.bottom())).normalized() & area)
            .toAlignedRect());
    band_->show();
    return;
  }
  if (dragging_) {
    pan(drag_from_.x() - event->position().x());
    drag_from_ = event->position();
    return;
  }
  const int at = slice_at(event->position());
  const int shown = at >= 0 ? at : chosen_;
  emit told(shown < 0 ? QString() : model_.span_text(model_.spans()->spans[static_cast<std::size_t>(shown)]));
}

void PipelineView::mouseReleaseEvent(QMouseEvent* event) {
  dragging_ = false;
  if (!band_) return;
  delete band_;
  constexpr double least_drag = 5;  // pixels; less is a click
  const auto [from, to] = std::minmax({drag_from_.x(), event->position().x()});
  if (to - from >= least_drag) set_range(ns_at(from), ns_at(to));
}

void PipelineView::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void PipelineView::leaveEvent(QEvent*) {
  emit told(chosen_ < 0 || model_.spans() == nullptr
                ? QString()
                : model_.span_text(model_.spans()->spans[static_cast<std::size_t>(chosen_)]));
}

// In order of time; what is chosen is brought into sight.
void PipelineView::choose(int direction) {
  if (model_.spans() == nullptr || model_.spans()->spans.empty()) return;
  const auto& spans = model_.spans()->spans;
  std::vector<int> order(spans.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::ranges::stable_sort(order, {}, [&spans](int i) { return spans[static_cast<std::size_t>(i)].start_ns; });
  const auto at = std::ranges::find(order, chosen_);
  const auto now =
      at == order.end() ? (direction > 0 ? -1 : static_cast<std::ptrdiff_t>(order.size())) : at - order.begin();
  chosen_ = order[static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(now + direction, 0, static_cast<std::ptrdiff_t>(order.size()) - 1))];
  const RequestSpan& span = spans[static_cast<std::size_t>(chosen_)];
  const double middle = static_cast<double>(span.start_ns + span.duration_ns / 2);
  if (middle < from_ || middle > to_) set_range(middle - (to_ - from_) / 2, middle + (to_ - from_) / 2);
  setAccessibleDescription(model_.span_text(span));
  emit told(model_.span_text(span));
  update();
}

void PipelineView::keyPressEvent(QKeyEvent* event) {
  const double tenth = plot().width() / 10, middle = plot().center().x();
  const bool control = event->modifiers() & Qt::ControlModifier;
  switch (event->key()) {
    case Qt::Key_Left:
      control ? choose(-1) : pan(-tenth);
      break;
    case Qt::Key_Right:
      control ? choose(1) : pan(tenth);
      break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Up:
      zoom(0.8, middle);
      break;
    case Qt::Key_Minus:
    case Qt::Key_Down:
      zoom(1.25, middle);
      break;
    case Qt::Key_0:
      fit();
      break;
    case Qt::Key_Home:
      show_first_token();
      break;
    case Qt::Key_End:
      show_whole();
      break;
    case Qt::Key_Escape:
      if (chosen_ < 0) return QWidget::keyPressEvent(event);
      chosen_ = -1;
      setAccessibleDescription({});
      emit told({});
      update();
      break;
    default:
      QWidget::keyPressEvent(event);
      return;
  }
  event->accept();
}

bool PipelineView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape &&
      chosen_ >= 0) {  // Esc is the window's otherwise
    event->accept();
    return true;
  }
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int at = slice_at(help->pos());
  QString text;
  if (at >= 0) text = model_.span_text(model_.spans()->spans[static_cast<std::size_t>(at)]);
  for (int lane = 0; at < 0 && lane < PipelineModel::lane_count; ++lane) {
    const QRectF box = lane_box(static_cast<PipelineModel::Lane>(lane));
    if (help->pos().x() < box.left() && help->pos().y() >= box.top() && help->pos().y() < box.bottom())
      text = PipelineModel::lane_tip(static_cast<PipelineModel::Lane>(lane));
  }
  if (text.isEmpty()) return QWidget::event(event);
  QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace kvantage
