#include "ui/live/timeline/time_line_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/charts/pinned_tip.h"
#include "ui/charts/screen_only.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double strip_label_share = 0.88;  // of the font
constexpr double brush_grip = 4;            // pixels
constexpr double annotation_reach = 6;      // pixels

}  // namespace

TimeLineStrip::TimeLineStrip(TimeLineModel& model, TimeCursor& cursor, QWidget* parent)
    : QWidget(parent), model_(&model), range_(&cursor.range()), theme_(theme_of(ThemeKind::light)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setProperty(label_share_property, strip_label_share);
  const QString name = tr("Timeline");
  setAccessibleName(name);
  setToolTip(
      tr("What happened along the run. Drag the frame at the bottom to show another part in all time charts. "
         "Right-click or press the menu key for the table and export."));
  setMouseTracking(true);
  lazy_ = new LazyRefresh(
      *this,
      [this] {
        zoom_->sync();
        update();
      },
      100);
  keys_ = new PointKeys(*this, *this, tr("Timeline of the run: changes, drift, re-profiles and faults"),
                        [this] { return key_rows(); });
  connect(keys_, &PointKeys::entered, this, [this](const PointStop& stop) {
    if (stop.id.isEmpty())
      emit timePicked(stop.along);
    else
      emit chosen(static_cast<std::size_t>(stop.id.toULongLong()));
  });
  install_chart_menu(*this, {this, name, [this] { return table(); }});
  zoom_ = new ChartZoom(*this, *this, *this, name, keys_);
  brush_ = new ChartBrush(*this, *this, name, *keys_, [this] {
    PointKeys::Rows rows = key_rows();
    const auto& annotations = model_->annotations();
    for (auto& row : rows)
      for (PointStop& stop : row)
        if (const std::size_t i = stop.id.toULongLong(); !stop.id.isEmpty())
          stop.id = i < annotations.size() ? annotations[i].mark.context : QString();
    return rows;
  });
  linked_ = new LinkedCursor(
      *this, cursor,
      {[this] { return picture().detail; },
       [this](double share) -> std::optional<double> { return shown_.lower + share * (shown_.upper - shown_.lower); },
       [this](double seconds) -> std::optional<double> {
         return (seconds - shown_.lower) / (shown_.upper - shown_.lower);
       },
       [](double) { return QString(); }});
  new LinkedRange(*zoom_, cursor.range());
  connect(&cursor.range(), &TimeRange::changed, this, [this] { update(); });
  zoom_->sync();
  set_model(model);
}

void TimeLineStrip::set_theme(const Theme& theme) {
  theme_ = theme;
  update();
}

void TimeLineStrip::set_model(TimeLineModel& model) {
  model_->disconnect(this);
  model_ = &model;
  connect(model_, &TimeLineModel::changed, this, [this] { lazy_->invalidate(); });
  lazy_->invalidate();
}

void TimeLineStrip::set_moment(std::optional<double> seconds) {
  if (seconds == moment_) return;
  moment_ = seconds;
  update();
}

QFont TimeLineStrip::small_font() const {
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * strip_label_share);
  return small;
}

QSize TimeLineStrip::minimumSizeHint() const {
  return {160, static_cast<int>(std::ceil(TimeLineRows(small_font()).height()))};
}

TimeLinePicture TimeLineStrip::picture() const {
  const TimeLineRows rows(small_font());
  TimeLinePicture picture{model_->annotations(), rows.detail(size()), rows.overview_area(size()), shown_};
  picture.now = moment_.value_or(model_->now());
  picture.replayed = moment_.has_value();
  if (range_) {
    picture.extent = range_->extent();
    picture.begin = range_->begin();
    picture.end = range_->end();
  }
  return picture;
}

AxisRanges TimeLineStrip::data_ranges() const { return {{0, range_ ? range_->extent() : 1}, {0, 1}}; }

void TimeLineStrip::show_ranges(const AxisRanges& shown) {
  shown_ = shown.x;
  update();
}

void TimeLineStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.base);
  painter.setFont(small_font());
  labels_ = picture().paint(painter, theme_);
  linked_->paint(painter, theme_);
  brush_->paint(painter, theme_);
  keys_->paint(painter, theme_);
  paint_focus(painter, *this, theme_);
}

// Annotations in order of time, then the ends of the run. What the keys reach comes into view.
PointKeys::Rows TimeLineStrip::key_rows() const {
  const TimeLinePicture now = picture();
  std::vector<PointStop> row;
  row.reserve(now.annotations.size());
  for (std::size_t i = 0; i < now.annotations.size(); ++i)
    row.push_back({tr("annotations"), QString::number(i), now.annotations[i].seconds, now.mark_box(now.annotations[i]),
                   now.annotations[i].text()});
  PointKeys::Rows rows;
  if (!row.empty()) rows.push_back(std::move(row));
  const auto end = [&](double seconds, const QString& text) {
    constexpr double size = TimeLineRows::marks;
    return PointStop{
        tr("run"), {}, seconds, QRectF(now.x(seconds) - size / 2, now.detail.bottom() - size, size, size), text};
  };
  rows.push_back({end(0, tr("beginning of the run")), end(now.now, tr("%1: latest").arg(seconds_text(now.now)))});
  return rows;
}

std::optional<std::size_t> TimeLineStrip::annotation_at(const QPointF& at) const {
  const TimeLinePicture now = picture();
  for (const TimeLineLabel& label : labels_)
    if (label.place.contains(at) && label.annotation < now.annotations.size()) return label.annotation;
  std::optional<std::size_t> found;
  double reach = annotation_reach;
  for (std::size_t i = 0; i < now.annotations.size(); ++i) {
    const QRectF box = now.mark_box(now.annotations[i]);
    const double away = std::abs(box.center().x() - at.x());
    if (away > reach || at.y() < box.top() || at.y() > box.bottom()) continue;
    reach = away;
    found = i;
  }
  return found;
}

QString TimeLineStrip::tip_at(const QPointF& at) const {
  const auto nearest = annotation_at(at);
  if (!nearest) return {};
  const TimeLinePicture now = picture();
  const double x = now.x(now.annotations[*nearest].seconds);
  QStringList lines{now.annotations[*nearest].text()};
  for (std::size_t i = 0; i < now.annotations.size(); ++i)
    if (i != *nearest && std::abs(now.x(now.annotations[i].seconds) - x) <= annotation_reach / 2)
      lines << now.annotations[i].text();
  return lines.join('\n');
}

void TimeLineStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !range_) return QWidget::mousePressEvent(event);
  const QPointF at = event->position();
  const TimeLinePicture now = picture();
  const QRectF part = now.brush();
  if (!now.overview.adjusted(-brush_grip, -brush_grip, brush_grip, 2).contains(at)) {
    if (const auto annotation = annotation_at(at))
      emit chosen(*annotation);
    else if (now.detail.contains(at))
      emit timePicked(now.detail_seconds(at.x()));
    return;
  }
  drag_from_ = now.overview_seconds(at.x());
  if (std::abs(at.x() - part.left()) <= brush_grip)
    drag_ = Drag::begin;
  else if (std::abs(at.x() - part.right()) <= brush_grip)
    drag_ = Drag::end;
  else
    drag_ = Drag::move;
  if (drag_ != Drag::move || (!range_->whole() && at.x() > part.left() && at.x() < part.right())) return;
  // A part around the place, as wide as it was.
  const double wide = range_->whole() ? range_->extent() / 4 : range_->end() - range_->begin();
  range_->show(drag_from_ - wide / 2, drag_from_ + wide / 2);
}

void TimeLineStrip::mouseMoveEvent(QMouseEvent* event) {
  const TimeLinePicture now = picture();
  const QPointF at = event->position();
  if (drag_ == Drag::none || !range_) {
    const QRectF part = now.brush();
    const bool edge = at.y() >= now.overview.top() - brush_grip &&
                      (std::abs(at.x() - part.left()) <= brush_grip || std::abs(at.x() - part.right()) <= brush_grip);
    setCursor(edge ? Qt::SizeHorCursor : Qt::ArrowCursor);
    return QWidget::mouseMoveEvent(event);
  }
  const double seconds = now.overview_seconds(at.x()), by = seconds - drag_from_;
  drag_from_ = seconds;
  if (drag_ == Drag::begin)
    range_->show(std::min(seconds, range_->end() - TimeRange::least_span), range_->end());
  else if (drag_ == Drag::end)
    range_->show(range_->begin(), std::max(seconds, range_->begin() + TimeRange::least_span));
  else
    range_->show(range_->begin() + by, range_->end() + by);
}

void TimeLineStrip::mouseReleaseEvent(QMouseEvent* event) {
  const bool dragged = drag_ != Drag::none;
  drag_ = Drag::none;
  if (event->button() == Qt::LeftButton && !dragged)
    PinnedTip::click(*this, event->globalPosition().toPoint(), tip_at(event->position()));
  QWidget::mouseReleaseEvent(event);
}

bool TimeLineStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString tip = tip_at(help->pos());
  if (tip.isEmpty())
    QToolTip::showText(help->globalPos(), toolTip(), this);
  else
    PinnedTip::hover(*this, help->globalPos(), tip);
  return true;
}

ChartTable TimeLineStrip::table() const {
  ChartTable table{{"seconds", "kind", "text", "context", "count"}, {}};
  for (const TimeAnnotation& each : model_->annotations())
    table.rows.append(
        {QString::number(each.seconds, 'g', 9), run_mark_name(each.mark.kind),
         each.mark.detail.isEmpty() ? each.mark.text : each.mark.text + QStringLiteral(": ") + each.mark.detail,
         each.mark.context, QString::number(each.count)});
  return table;
}

}  // namespace kvantage
