#include "ui/papers/charts/figure_scatter_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/label_placer.h"
#include "ui/charts/ticks.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t max_point_labels = 60;

/// Of the points and their intervals, with room beside them.
struct Extent {
  double low = 0, high = 0;
  bool empty = true;
  void add(double value) {
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    empty = false;
  }
  void add(double value, const std::optional<Interval>& interval) {
    add(value);
    if (!interval) return;
    add(interval->low);
    add(interval->high);
  }
  void set(QValueAxis& axis, int ticks) const {
    if (empty) return;
    const double from = low > 0 && low <= 0.5 * high ? 0 : low;
    const double room = high > from ? 0.06 * (high - from) : std::max(1e-12, 0.05 * std::abs(high));
    set_round_ticks(axis, from == 0 && low >= 0 ? -0.3 * room : from - room, high + room, ticks);
  }
};

}  // namespace

FigureScatterChart::FigureScatterChart(QWidget* parent)
    : GroupedChart(tr("Points of a figure"), parent), x_axis_(new QValueAxis), y_axis_(new QValueAxis) {
  for (QValueAxis* axis : {x_axis_, y_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(x_axis_, Qt::AlignBottom);
  chart().addAxis(y_axis_, Qt::AlignLeft);
  allow_low(60);
  set_theme(theme());
}

void FigureScatterChart::take(const FigureResult& result, std::size_t table) {
  const FigureTable& from = result.tables[table];
  clouds_ = plotted_clouds(from);
  std::vector<ChartGroup> groups = chart_groups(clouds_);
  std::vector<PlottedMark> marks = clouds_.empty() ? std::vector<PlottedMark>{} : plotted_marks(from, names_of(groups));
  set_groups(std::move(groups), std::move(marks));
}

// As the marker of its provenance is everywhere: filled where it was measured, hollow where it was simulated.
void FigureScatterChart::look(QScatterSeries& series, std::size_t cloud) const {
  const QColor color = color_of(cloud);
  const MarkerLook look = look_of(provenance());
  const bool filled = look == MarkerLook::measured || look == MarkerLook::throttled;
  series.setMarkerShape(look == MarkerLook::measured    ? QScatterSeries::MarkerShapeCircle
                        : look == MarkerLook::throttled ? QScatterSeries::MarkerShapeRotatedRectangle
                        : look == MarkerLook::imported  ? QScatterSeries::MarkerShapeTriangle
                                                        : QScatterSeries::MarkerShapeRectangle);
  series.setMarkerSize(look == MarkerLook::throttled ? 11 : 9);
  series.setColor(filled ? color : theme().base);
  series.setBorderColor(color);
  series.setName(to_q(clouds_[cloud].name));
}

void FigureScatterChart::refresh() {
  while (series_.size() < clouds_.size()) {
    auto* series = series_.emplace_back(new QScatterSeries);
    chart().addSeries(series);
    series->attachAxis(x_axis_);
    series->attachAxis(y_axis_);
  }
  set_axes();
  for (std::size_t i = 0; i < series_.size(); ++i) {
    QList<QPointF> points;
    if (i < clouds_.size()) {
      const auto& from = clouds_[i].points;
      for (const CloudPoint& point : from) points.append({point.x, point.y});
      look(*series_[i], i);
    }
    series_[i]->replace(points);
    series_[i]->setVisible(i < clouds_.size() && shown(i));
  }
  set_legend();
}

void FigureScatterChart::set_axes() {
  Extent x, y;
  for (std::size_t i = 0; i < clouds_.size(); ++i) {
    if (!shown(i)) continue;
    for (const CloudPoint& point : clouds_[i].points) {
      x.add(point.x, point.x_interval);
      y.add(point.y, point.y_interval);
    }
  }
  for (const PlottedMark& mark : marks()) {
    if (x.empty || !shown(mark)) continue;
    x.add(mark.at.value_or(x.low));
    y.add(mark.low);
    y.add(mark.high);
  }
  x_axis_->setTitleText(axis_title(x_title()).toHtmlEscaped());
  y_axis_->setTitleText(axis_title(y_title()).toHtmlEscaped());
  x.set(*x_axis_, 8);
  y.set(*y_axis_, compact() ? 3 : 6);
}

void FigureScatterChart::set_legend() {
  std::vector<LegendItem> items;
  if (compact() && !clouds_.empty()) items.push_back(axes_item());
  add_group_items(items, LegendItem::Sign::marker);
  if (std::ranges::any_of(clouds_, [](const PlottedCloud& cloud) {
        return std::ranges::any_of(cloud.points,
                                   [](const CloudPoint& point) { return point.x_interval || point.y_interval; });
      }))
    add_interval_item(items);
  add_mark_items(items);
  legend().set_items(std::move(items));
}

QPointF FigureScatterChart::place(std::size_t cloud, double x, double y) const {
  return chart().mapToPosition({x, y}, series_[cloud]);
}

QPointF FigureScatterChart::place_of(const PlottedMark& mark, double y) const {
  return series_.empty() ? QPointF() : place(0, mark.at.value_or(0), y);
}

void FigureScatterChart::paint_over(QPainter& painter) {
  if (series_.empty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(chart().plotArea().adjusted(-9, -9, 9, 9));
  const bool filled = provenance() == Provenance::measured || provenance() == Provenance::throttled;
  for (std::size_t i = 0; i < clouds_.size() && i < series_.size(); ++i) {
    if (!shown(i)) continue;
    painter.setPen(curve_pen(color_of(i), 1));
    for (const CloudPoint& point : clouds_[i].points) {
      if (point.x_interval)
        painter.drawLine(place(i, point.x_interval->low, point.y), place(i, point.x_interval->high, point.y));
      if (point.y_interval)
        painter.drawLine(place(i, point.x, point.y_interval->low), place(i, point.x, point.y_interval->high));
    }
    if (const unsigned strokes = strokes_of(i))
      for (const CloudPoint& point : clouds_[i].points)
        draw_strokes(painter, place(i, point.x, point.y), strokes, filled ? theme().base : color_of(i), 3);
  }
  painter.restore();
  paint_marks(painter);
  if (plot().by.size() > 1 && !compact()) paint_labels(painter);
}

void FigureScatterChart::paint_labels(QPainter& painter) const {
  LabelPlacer placer(chart().plotArea());
  for (std::size_t i = 0; i < clouds_.size(); ++i)
    for (const CloudPoint& point : clouds_[i].points)
      if (shown(i)) placer.block(mark_around(place(i, point.x, point.y)).adjusted(5, 5, -5, -5));
  for (const PlottedMark& mark : marks())
    if (!mark.is_span() && shown(mark)) placer.block(mark_box(mark));
  std::size_t labels = 0;
  for (std::size_t i = 0; i < clouds_.size(); ++i)
    for (const CloudPoint& point : clouds_[i].points)
      if (shown(i) && !point.label.empty() && labels++ < max_point_labels)
        placer.draw(painter, place(i, point.x, point.y), core_text(point.label), theme().text, theme().base);
}

QString FigureScatterChart::tip_of(std::size_t cloud, const CloudPoint& point) const {
  const auto number = [](double value, const std::optional<Interval>& interval) {
    return interval
               ? tr("%1 (95 %: %2 to %3)").arg(exact_text(value), exact_text(interval->low), exact_text(interval->high))
               : exact_text(value);
  };
  QString name = core_text(clouds_[cloud].name);
  if (!point.label.empty() && point.label != clouds_[cloud].name) name += QStringLiteral(", ") + core_text(point.label);
  return QStringLiteral("%1\n%2: %3\n%4: %5\n%6")
      .arg(name, x_title(), number(point.x, point.x_interval), core_text(plot().y[clouds_[cloud].column]),
           number(point.y, point.y_interval), provenance_text(provenance()));
}

// A row for each group that is switched on, from left to right.
PointKeys::Rows FigureScatterChart::key_rows() const {
  PointKeys::Rows rows;
  for (std::size_t i = 0; i < clouds_.size() && i < series_.size(); ++i) {
    if (!shown(i)) continue;
    auto& row = rows.emplace_back();
    for (std::size_t p = 0; p < clouds_[i].points.size(); ++p) {
      const CloudPoint& point = clouds_[i].points[p];
      row.push_back({to_q(clouds_[i].name),
                     QString::number(p),
                     point.x,
                     mark_around(place(i, point.x, point.y)),
                     {},
                     [this, i, p] { return tip_of(i, clouds_[i].points[p]); }});
    }
    std::ranges::stable_sort(row, {}, &PointStop::along);
  }
  if (!series_.empty()) add_mark_keys(rows);
  return rows;
}

ChartTable FigureScatterChart::table() const {
  ChartTable table{
      {"group", "x", "x_value", "y", "y_value", "low_95", "high_95", "provenance", "label", "x_low_95", "x_high_95"},
      {}};
  table.plot = {"x_value", {"y_value"}, true};
  const auto end = [](const std::optional<Interval>& interval, double Interval::*side) {
    return interval ? exact_text((*interval).*side) : QString();
  };
  for (const PlottedCloud& cloud : clouds_)
    for (const CloudPoint& point : cloud.points)
      table.rows.append({to_q(cloud.name), to_q(plot().x), exact_text(point.x), to_q(plot().y[cloud.column]),
                         exact_text(point.y), end(point.y_interval, &Interval::low),
                         end(point.y_interval, &Interval::high), QString::fromLatin1(to_string(provenance())),
                         to_q(point.label), end(point.x_interval, &Interval::low),
                         end(point.x_interval, &Interval::high)});
  const qsizetype own = table.rows.size();
  add_mark_rows(table);
  for (qsizetype row = own; row < table.rows.size(); ++row) table.rows[row] << QString() << QString() << QString();
  return table;
}

}  // namespace kvantage
