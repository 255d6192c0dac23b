#include "ui/report/chart_picture.h"

#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QBoxPlotSeries>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QLineSeries>
#include <QScatterSeries>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "core/report/series_colors.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {
namespace {

constexpr int label_size = 8;  // points, of all text in a chart
constexpr double mark_size = 6, line_width = 1.2, around_plot = 60;
const QColor grid_color(0xdd, 0xdd, 0xdd), axis_color(0x88, 0x88, 0x88), text_color(0x22, 0x22, 0x22);

QFont chart_font() { return page_font({.size = label_size}); }
double label_width(const QString& text) { return text_width(text, {.size = label_size}); }
double label_height() { return line_height({.size = label_size}); }

QPen pen_of(const SeriesLook& look) {
  QPen pen(look.color, look.dashed ? line_width * 0.7 : line_width);
  if (look.dashed) pen.setDashPattern({4, 3});
  pen.setCapStyle(Qt::FlatCap);
  return pen;
}

QScatterSeries::MarkerShape marker_of(SeriesLook::Shape shape) {
  switch (shape) {
    case SeriesLook::Shape::square:
      return QScatterSeries::MarkerShapeRectangle;
    case SeriesLook::Shape::diamond:
      return QScatterSeries::MarkerShapeRotatedRectangle;
    case SeriesLook::Shape::triangle:
      return QScatterSeries::MarkerShapeTriangle;
    default:
      return QScatterSeries::MarkerShapeCircle;
  }
}

bool is_finite(const QPointF& point) { return std::isfinite(point.x()) && std::isfinite(point.y()); }

double total_width(const ReportPlot& plot) {
  double widest = 0;
  for (const PlotPlace& place : plot.places) widest = std::max(widest, label_width(page_line(place.total)));
  return widest;
}

/// Letters of places, or their numbers; `upwards`: the last is the first of the axis.
QBarCategoryAxis* place_axis(const PageChart& chart, bool upwards) {
  QStringList letters;
  for (std::size_t place = 0; place < chart.plot.places.size(); ++place) {
    const QString letter = page_line(place < chart.letters.size() ? chart.letters[place] : std::to_string(place + 1));
    if (upwards)
      letters.prepend(letter);
    else
      letters.append(letter);
  }
  auto* axis = new QBarCategoryAxis;
  axis->append(letters);
  axis->setTitleText(page_line(chart.plot.x_label).toHtmlEscaped());
  return axis;
}

}  // namespace

QSizeF chart_size(const ReportPlot& plot, double width) {
  if (plot.series.empty()) return {};
  if (plot.kind == ReportPlot::Kind::bars) {
    constexpr double row = 20, around = 62;
    return {width, around + row * static_cast<double>(plot.places.size())};
  }
  if (plot.kind == ReportPlot::Kind::means) return {width, 230};
  const bool tall = plot.diagonal || plot.kind == ReportPlot::Kind::boxes;
  return {width, tall ? 200.0 : 160.0};
}

double chart_box_share(std::size_t boxes) { return std::min(0.5, 0.1 * static_cast<double>(boxes)); }

ChartPicture::ChartPicture(const PageChart& chart, const QSizeF& size)
    : from_(chart), looks_(looks_of(chart.plot)), size_(size), scene_(std::make_unique<QGraphicsScene>()) {
  chart_ = new QChart;  // of the scene
  chart_->setAnimationOptions(QChart::NoAnimation);
  chart_->setBackgroundVisible(false);
  chart_->setPlotAreaBackgroundVisible(false);
  chart_->legend()->hide();
  chart_->layout()->setContentsMargins(0, 0, 0, 0);
  using Kind = ReportPlot::Kind;
  const Kind kind = from_.plot.kind;
  const bool bars = kind == Kind::bars;
  chart_->setMargins(QMargins(2, 4, bars ? static_cast<int>(total_width(from_.plot)) + 14 : 14, 2));
  scene_->addItem(chart_);
  scene_->setSceneRect(QRectF(QPointF(), size_));
  if (bars)
    add_bars();
  else if (kind == Kind::boxes)
    add_boxes();
  else if (kind == Kind::histogram)
    add_histogram();
  else
    add_points();
  chart_->resize(size_);
  chart_->layout()->activate();
  if (bars) place_totals();
  if (bars || kind == Kind::boxes || kind == Kind::histogram) return;
  find_intervals();
  if (kind == Kind::means) place_letters();
}

ChartPicture::~ChartPicture() = default;

void ChartPicture::add_axes(QAbstractAxis* x, QAbstractAxis* y) {
  chart_->addAxis(x, Qt::AlignBottom);
  chart_->addAxis(y, Qt::AlignLeft);
  for (QAbstractAxis* axis : {x, y}) {
    axis->setLabelsFont(chart_font());
    axis->setTitleFont(chart_font());
    axis->setLabelsBrush(text_color);
    axis->setTitleBrush(text_color);
    axis->setGridLinePen(QPen(grid_color, 0.5));
    axis->setLinePen(QPen(axis_color, 0.5));
    for (QAbstractSeries* series : chart_->series()) series->attachAxis(axis);
  }
}

void ChartPicture::add_line(const QList<QPointF>& points, const QString& name, const SeriesLook& look) {
  auto* line = new QLineSeries;
  line->setName(name);
  line->replace(points);
  line->setPen(pen_of(look));
  chart_->addSeries(line);
}

void ChartPicture::add_marks(const QList<QPointF>& points, const QString& name, const SeriesLook& look) {
  auto* marks = new QScatterSeries;
  marks->setName(name);
  marks->replace(points);
  marks->setMarkerShape(marker_of(look.shape));
  marks->setMarkerSize(from_.plot.kind == ReportPlot::Kind::means ? mark_size + 2 : mark_size);
  marks->setColor(look.color);
  marks->setPen(Qt::NoPen);
  chart_->addSeries(marks);
}

void ChartPicture::add_points() {
  const ReportPlot& plot = from_.plot;
  scales_ = scales_of(plot);
  if (plot.diagonal) {
    const double low = scales_.x.at(scales_.x.ticks.front()), high = scales_.x.at(scales_.x.ticks.back());
    add_line({{low, low}, {high, high}}, QString(), {axis_color, SeriesLook::Shape::none, true, true});
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    QList<QPointF> points, line;
    for (const PlotPoint& point : plot.series[i].points) {
      const QPointF place(scales_.x.at(point.x), scales_.y.at(point.y));
      if (!is_finite(place)) continue;
      if (plot.kind == ReportPlot::Kind::steps && !line.isEmpty()) line.append({place.x(), line.back().y()});
      points.append(place);
      line.append(place);
    }
    const QString name = page_line(plot.series[i].shown());
    if (looks_[i].line) add_line(line, name, looks_[i]);
    if (looks_[i].shape == SeriesLook::Shape::none) continue;
    QList<QPointF> marked;
    for (const std::size_t p : marked_points(static_cast<std::size_t>(points.size()), looks_[i].line))
      marked.append(points[static_cast<qsizetype>(p)]);
    add_marks(marked, name, looks_[i]);
  }
  add_axes(make_axis(scales_.x, axis_title(plot.x_label, plot.x_unit, scales_.x), size_.width() - around_plot, 40),
           make_axis(scales_.y, axis_title(plot.y_label, plot.y_unit, scales_.y), size_.height() - around_plot, 14));
}

void ChartPicture::add_bars() {
  const ReportPlot& plot = from_.plot;
  const qsizetype places = static_cast<qsizetype>(plot.places.size());
  auto* bars = new QHorizontalStackedBarSeries;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    auto* set = new QBarSet(page_line(plot.series[i].shown()));
    QList<qreal> values(places, 0);
    for (const PlotPoint& point : plot.series[i].points)  // the first is the uppermost
      if (point.x >= 0 && point.x < static_cast<double>(places) && std::isfinite(point.y))
        values[places - 1 - static_cast<qsizetype>(point.x)] = std::max(0.0, point.y);
    set->append(values);
    set->setColor(looks_[i].color);
    set->setBorderColor(Qt::white);
    bars->append(set);
  }
  bars->setBarWidth(chart_bar_share);
  chart_->addSeries(bars);
  scales_.x = bar_scale(plot);
  QBarCategoryAxis* names = place_axis(from_, true);
  add_axes(make_axis(scales_.x, axis_title(plot.y_label, plot.y_unit), size_.width(), 0), names);
  names->setGridLineVisible(false);
}

void ChartPicture::add_boxes() {
  const ReportPlot& plot = from_.plot;
  scales_ = scales_of(plot);
  const QColor color = looks_.front().color;
  auto* boxes = new QBoxPlotSeries;
  for (const PlotBox& box : boxes_of(plot))
    boxes->append(new QBoxSet(box.low, box.lower, box.median, box.upper, box.high));
  boxes->setName(page_line(plot.title));
  boxes->setBoxWidth(chart_box_share(plot.places.size()));
  boxes->setPen(QPen(color, line_width * 0.7));
  boxes->setBrush(QColor::fromRgb(color_on(0xffffff, color.rgb() & 0xffffffU, pale_share)));
  chart_->addSeries(boxes);
  QBarCategoryAxis* names = place_axis(from_, false);
  add_axes(names, make_axis(scales_.y, axis_title(plot.y_label, plot.y_unit), size_.height() - around_plot, 14));
  names->setGridLineVisible(false);
}

void ChartPicture::add_histogram() {
  const ReportPlot& plot = from_.plot;
  scales_ = scales_of(plot);
  std::vector<double> edges;
  for (const PlotPoint& point : plot.series.front().points) edges.push_back(point.x);
  auto* bars = new QBarSeries;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    auto* set = new QBarSet(page_line(plot.series[i].shown()));
    for (std::size_t bin = 0; bin + 1 < plot.series[i].points.size(); ++bin) set->append(plot.series[i].points[bin].y);
    set->setColor(looks_[i].color);
    set->setPen(Qt::NoPen);
    bars->append(set);
  }
  bars->setBarWidth(chart_bin_share);
  chart_->addSeries(bars);
  add_axes(make_bin_axis(scales_.x, edges, axis_title(plot.x_label, plot.x_unit), size_.width() - around_plot, 40),
           make_axis(scales_.y, axis_title(plot.y_label, plot.y_unit), size_.height() - around_plot, 14));
}

QPointF ChartPicture::at(double x, double y) const {
  return chart_->mapToPosition({scales_.x.at(x), scales_.y.at(y)}, chart_->series().constFirst());
}

void ChartPicture::find_intervals() {
  for (std::size_t i = 0; i < from_.plot.series.size(); ++i) {
    const PlotSeries& series = from_.plot.series[i];
    for (const PlotPoint& point : series.points) {
      if (point.interval)
        intervals_.push_back({{at(point.x, point.interval->low), at(point.x, point.interval->high)}, looks_[i].color});
      if (point.x_interval)
        intervals_.push_back(
            {{at(point.x_interval->low, point.y), at(point.x_interval->high, point.y)}, looks_[i].color});
    }
  }
}

void ChartPicture::place_letters() {
  constexpr double away = 2;
  std::vector<QRectF> taken;
  std::vector<QPointF> marks;
  for (const PlotSeries& series : from_.plot.series) {
    const PlotPoint& point = series.points.front();
    marks.push_back(at(point.x, point.y));
    const double half = mark_size / 2 + 1;
    taken.emplace_back(marks.back() - QPointF(half, half), QSizeF(2 * half, 2 * half));
  }
  for (const Interval2D& interval : intervals_)
    taken.push_back(QRectF(interval.line.p1(), interval.line.p2()).normalized().adjusted(-1, -1, 1, 1));
  const QRectF bounds = chart_->plotArea();
  for (std::size_t i = 0; i < marks.size() && i < from_.letters.size(); ++i) {
    const QString letter = page_line(from_.letters[i]);
    if (letter.isEmpty()) continue;
    const QSizeF size(label_width(letter), label_height());
    for (const double distance : {mark_size, 2 * mark_size, 3 * mark_size}) {
      bool found = false;
      for (const QPointF direction : {QPointF(1, -1), {-1, -1}, {1, 1}, {-1, 1}}) {
        const QPointF middle = marks[i] + QPointF(direction.x() * (distance + size.width() / 2),
                                                  direction.y() * (distance + size.height() / 2 - away));
        const QRectF box(middle - QPointF(size.width() / 2, size.height() / 2), size);
        if (!bounds.contains(box) || std::ranges::any_of(taken, [&](const QRectF& one) { return one.intersects(box); }))
          continue;
        taken.push_back(box);
        labels_.push_back({letter, box});
        found = true;
        break;
      }
      if (found) break;
    }
  }
}

void ChartPicture::place_totals() {
  const std::vector<double> sums = place_sums(from_.plot);
  for (std::size_t place = 0; place < sums.size(); ++place) {
    const QString text = page_line(from_.plot.places[place].total);
    const QPointF end = chart_->mapToPosition({sums[place], static_cast<double>(sums.size() - 1 - place)},
                                              chart_->series().constFirst());
    if (!text.isEmpty())
      labels_.push_back({text, QRectF(end.x() + 4, end.y() - label_height() / 2, label_width(text), label_height())});
  }
}

void ChartPicture::paint(QPainter& painter) const {
  scene_->render(&painter, QRectF(QPointF(), size_), QRectF(QPointF(), size_));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const Interval2D& interval : intervals_) {
    painter.setPen(QPen(interval.color, 0.8));
    painter.drawLine(interval.line);
  }
  painter.setPen(text_color);
  painter.setFont(chart_font());
  for (const ChartLabel& label : labels_)
    painter.drawText(QPointF(label.box.left(), label.box.top() + line_ascent({.size = label_size})), label.text);
  painter.restore();
}

}  // namespace kvantage::inline report_pages
