#include "ui/charts/series_chart.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/report/plots/plotted_points.h"
#include "ui/charts/ticks.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr std::size_t max_line_points = 600;
constexpr int max_columns = 600, min_columns = 100;

MinMaxPyramid pyramid_of(const PlottedLine& line) {
  std::vector<QPointF> points;
  points.reserve(line.points.size());
  for (const PlottedPoint& point : line.points) points.emplace_back(point.x, point.y);
  return MinMaxPyramid(points);
}

}  // namespace

SeriesChart::SeriesChart(QWidget* parent)
    : GroupedChart(tr("Chart of a figure"), parent), x_axis_(new QValueAxis), y_axis_(new QValueAxis) {
  for (QValueAxis* axis : {x_axis_, y_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(x_axis_, Qt::AlignBottom);
  chart().addAxis(y_axis_, Qt::AlignLeft);
  allow_low(60);
  set_theme(theme());
}

void SeriesChart::take(const FigureResult& result, std::size_t table) {
  const FigureTable& from = result.tables[table];
  lines_ = steps() ? plotted_curves(from) : plotted_lines(from);
  pyramids_.clear();
  pyramids_.reserve(lines_.size());
  for (const PlottedLine& line : lines_) pyramids_.push_back(pyramid_of(line));
  std::vector<ChartGroup> groups = chart_groups(lines_);
  std::vector<PlottedMark> marks = lines_.empty() ? std::vector<PlottedMark>{} : plotted_marks(from, names_of(groups));
  set_groups(std::move(groups), std::move(marks));
}

void SeriesChart::add(QAbstractSeries* series) {
  chart().addSeries(series);
  series->attachAxis(x_axis_);
  series->attachAxis(y_axis_);
}

int SeriesChart::columns() const {
  const int pixels = std::clamp(static_cast<int>(chart().plotArea().width()), min_columns, max_columns);
  return steps() ? pixels / 2 : pixels;  // a step is two points
}

std::vector<std::size_t> SeriesChart::seen(std::size_t line, int columns_wanted) const {
  if (pyramids_[line].size() > (steps() ? max_line_points / 2 : max_line_points))
    return pyramids_[line].seen(x_axis_->min(), x_axis_->max(), columns_wanted);
  std::vector<std::size_t> all(pyramids_[line].size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// A step for each share; a line as it is.
QList<QPointF> SeriesChart::points_of(std::size_t line) const {
  const std::vector<QPointF>& from = pyramids_[line].points();
  const std::vector<std::size_t> indices = seen(line, columns());
  QList<QPointF> points;
  points.reserve(static_cast<qsizetype>(2 * indices.size() + 2));
  if (indices.empty()) return points;
  const bool whole_begin = steps() && indices.front() == 0;
  if (whole_begin) points.append({from.front().x(), 0});
  for (const std::size_t p : indices) {
    if (steps() && points.size() > (whole_begin ? 1 : 0)) points.append({from[p].x(), points.back().y()});
    points.append(from[p]);
  }
  if (steps() && indices.back() + 1 == from.size()) points.append({std::max(x_axis_->max(), from.back().x()), 1});
  return points;
}

void SeriesChart::fill_band(std::size_t i) {
  const bool there = i < lines_.size() && has_band(plot(), lines_[i]);
  if (bands_[i] != nullptr) bands_[i]->setVisible(there && shown(i));
  if (!there) return;
  QList<QPointF> upper, lower;
  const auto& from = lines_[i].points;
  const std::vector<std::size_t> shown_points = seen(i, columns() / 2);
  upper.reserve(static_cast<qsizetype>(shown_points.size()));
  lower.reserve(static_cast<qsizetype>(shown_points.size()));
  for (const std::size_t p : shown_points) {
    upper.append({from[p].x, from[p].interval->high});
    lower.append({from[p].x, from[p].interval->low});
  }
  if (bands_[i] == nullptr) {
    bands_[i] = new QAreaSeries(new QLineSeries, new QLineSeries);
    for (QLineSeries* edge : {bands_[i]->upperSeries(), bands_[i]->lowerSeries()}) edge->setParent(bands_[i]);
    add(bands_[i]);
    bands_[i]->setVisible(shown(i));
  }
  QColor fill = color_of(i);
  fill.setAlphaF(fill.alphaF() * 0.18F);
  bands_[i]->setBrush(fill);
  bands_[i]->setPen(Qt::NoPen);
  bands_[i]->upperSeries()->replace(upper);
  bands_[i]->lowerSeries()->replace(lower);
}

void SeriesChart::refresh() {
  while (series_.size() < lines_.size()) add(series_.emplace_back(new QLineSeries));
  bands_.resize(series_.size());
  set_axes();
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (i < lines_.size()) {
      series_[i]->setName(to_q(lines_[i].name));
      series_[i]->setPen(curve_pen(color_of(i), 1.9, line_dashes(i)));
    }
    series_[i]->setVisible(i < lines_.size() && shown(i));
  }
  set_legend();
}

void SeriesChart::shown_changed() {
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (i < lines_.size())
      series_[i]->replace(points_of(i));
    else
      series_[i]->clear();
    fill_band(i);
  }
}

void SeriesChart::set_axes() {
  constexpr double none = std::numeric_limits<double>::infinity();
  double left = none, right = -none, low = none, high = -none;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!shown(i)) continue;
    for (const PlottedPoint& point : lines_[i].points) {
      left = std::min(left, point.x);
      right = std::max(right, point.x);
      low = std::min(low, point.interval ? std::min(point.interval->low, point.y) : point.y);
      high = std::max(high, point.interval ? std::max(point.interval->high, point.y) : point.y);
    }
  }
  x_axis_->setTitleText(axis_title(x_title()).toHtmlEscaped());
  y_axis_->setTitleText(axis_title(y_title()).toHtmlEscaped());
  if (left > right) return;
  for (const PlottedMark& mark : marks()) {
    if (!shown(mark)) continue;
    left = std::min(left, mark.at.value_or(left));
    right = std::max(right, mark.at.value_or(right));
    low = std::min(low, mark.low);
    high = std::max(high, mark.high);
  }
  const double wide = right > left ? 0.03 * (right - left) : std::max(0.5, 0.05 * std::abs(left));
  set_round_ticks(*x_axis_, left - wide, right + wide, 8);
  if (steps()) {
    set_round_ticks(*y_axis_, std::min(0.0, low), std::max(1.0, high), compact() ? 3 : 6);
    return;
  }
  // From zero, unless all of them are far from it and close together.
  if (low > 0 && low <= 0.5 * high) low = 0;
  const double tall = high > low ? 0.06 * (high - low) : std::max(0.05, 0.05 * std::abs(high));
  set_round_ticks(*y_axis_, low == 0 ? 0 : low - tall, high + tall, compact() ? 3 : 6);
}

void SeriesChart::set_legend() {
  std::vector<LegendItem> items;
  if (compact() && !lines_.empty()) items.push_back(axes_item());
  add_group_items(items, LegendItem::Sign::line);
  if (std::ranges::any_of(lines_, [](const PlottedLine& line) {
        return std::ranges::any_of(line.points, [](const PlottedPoint& point) { return point.interval.has_value(); });
      }))
    add_interval_item(items);
  add_mark_items(items);
  legend().set_items(std::move(items));
}

QPointF SeriesChart::place_of(const PlottedMark& mark, double y) const {
  return series_.empty() ? QPointF() : chart().mapToPosition({mark.at.value_or(0), y}, series_.front());
}

void SeriesChart::paint_over(QPainter& painter) {
  if (series_.empty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(chart().plotArea().adjusted(-9, -9, 9, 9));
  for (std::size_t i = 0; i < lines_.size() && i < series_.size(); ++i) {
    if (!shown(i)) continue;
    const QColor color = color_of(i);
    const bool bars = !has_band(plot(), lines_[i]);
    const auto place = [&](double x, double y) { return chart().mapToPosition({x, y}, series_[i]); };
    const std::vector<std::size_t> shown_points = seen(i, columns());
    const double room = chart().plotArea().width() / static_cast<double>(std::max<std::size_t>(1, shown_points.size()));
    for (const std::size_t p : shown_points) {
      const PlottedPoint& point = lines_[i].points[p];
      if (point.interval && bars) {
        painter.setPen(curve_pen(color, 1));
        painter.drawLine(place(point.x, point.interval->low), place(point.x, point.interval->high));
      }
      if (!steps() && (room > 5 || shown_points.size() == 1))
        draw_marker(painter, place(point.x, point.y), look_of(provenance()), color, theme().base,
                    room <= 14           ? 2.4
                    : strokes_of(i) != 0 ? 4.4
                                         : 3.4,  // larger, so that strokes are seen
                    true, strokes_of(i));
    }
  }
  painter.restore();
  paint_marks(painter);
}

QString SeriesChart::tip_of(const PlottedLine& line, const PlottedPoint& point) const {
  const QString y = steps() ? y_title() : core_text(plot().y[line.column]);
  QString text = QStringLiteral("%1\n%2: %3\n%4: %5")
                     .arg(core_text(line.name), x_title(), exact_text(point.x), y, exact_text(point.y));
  if (point.interval)
    text =
        plot().band.empty()
            ? tr("%1 (95 %: %2 to %3)").arg(text, exact_text(point.interval->low), exact_text(point.interval->high))
            : tr("%1 (%2: %3 to %4)")
                  .arg(text, core_text(plot().band), exact_text(point.interval->low), exact_text(point.interval->high));
  return text + '\n' + provenance_text(provenance());
}

// A row for each line that is switched on; of many points those that are seen and one on each side.
PointKeys::Rows SeriesChart::key_rows() const {
  PointKeys::Rows rows;
  for (std::size_t i = 0; i < lines_.size() && i < series_.size(); ++i) {
    const PlottedLine& line = lines_[i];
    if (!shown(i)) continue;
    std::vector<PointStop> row;
    const std::vector<std::size_t> shown_points = seen(i, columns());
    row.reserve(shown_points.size());
    for (const std::size_t p : shown_points) {
      const PlottedPoint& point = line.points[p];
      row.push_back({to_q(line.name),
                     {},
                     point.x,
                     mark_around(chart().mapToPosition({point.x, point.y}, series_[i])),
                     {},
                     [this, i, point] { return tip_of(lines_[i], point); }});
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  if (!series_.empty()) add_mark_keys(rows);
  return rows;
}

ChartTable SeriesChart::table() const {
  const bool own_band = !plot().band.empty();
  ChartTable table{{"line", "x", "x_value", "y", "y_value", own_band ? "y_value_low" : "low_95",
                    own_band ? "y_value_high" : "high_95", "provenance"},
                   {}};
  table.plot = {"x_value", {"y_value"}};
  for (const PlottedLine& line : lines_)
    for (const PlottedPoint& point : line.points)
      table.rows.append({to_q(line.name), to_q(plot().x), exact_text(point.x),
                         steps() ? to_q(plotted_y_title(plot())) : to_q(plot().y[line.column]), exact_text(point.y),
                         point.interval ? exact_text(point.interval->low) : QString(),
                         point.interval ? exact_text(point.interval->high) : QString(),
                         QString::fromLatin1(to_string(provenance()))});
  add_mark_rows(table);
  return table;
}

}  // namespace kvantage
