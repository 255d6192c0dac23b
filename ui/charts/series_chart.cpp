#include "ui/charts/series_chart.h"

#include <algorithm>
#include <limits>

#include "ui/charts/ticks.h"
#include "ui/models/core_text.h"
#include "ui/models/words.h"

namespace kvantage {
namespace {

constexpr std::size_t max_points = 600, max_named = 18;

QString exact(double value) { return QString::number(value, 'g', 9); }

/// What keeps its color everywhere; invalid for any other column.
QColor known_color(const Theme& theme, const std::string& column, const QString& value) {
  if (column == "policy") return theme.policy(value);
  // Results of earlier versions have the last name.
  if (column == "method" || column == "eviction method" || column == "evictor") return theme.method(value);
  if (column == "family") return theme.family(value);
  return column == "tier" ? theme.tier(value) : QColor();
}

}  // namespace

SeriesChart::SeriesChart(QWidget* parent)
    : ChartPanel(tr("Chart of a figure"), parent), x_axis_(new QValueAxis), y_axis_(new QValueAxis) {
  for (QValueAxis* axis : {x_axis_, y_axis_}) axis->setTickType(QValueAxis::TicksDynamic);
  chart().addAxis(x_axis_, Qt::AlignBottom);
  chart().addAxis(y_axis_, Qt::AlignLeft);
  connect(&legend(), &LegendStrip::toggled, this, [this](const QString& name, bool hidden) {
    if (hidden)
      hidden_.insert(name);
    else
      hidden_.erase(name);
    invalidate_at_once();
  });
  allow_low(60);
  set_theme(theme());
}

void SeriesChart::show_table(const FigureResult& result, std::size_t table) {
  const FigureTable& from = result.tables[table];
  plot_ = from.plot.value_or(FigurePlot{});
  title_ = core_text(from.title);
  y_title_ = core_text(!plot_.y_title.empty() ? plot_.y_title : plot_.y.size() == 1 ? plot_.y.front() : std::string());
  provenance_ = result.provenance;
  lines_ = plotted_lines(from);
  hidden_.clear();
  keys().set_description(tr("%1; arrow keys move between points").arg(title_));
  invalidate_at_once();
}

// Lines of one color, such as a policy's at several alphas, pale from one to the next.
QColor SeriesChart::color_of(std::size_t index) const {
  const PlottedLine& line = lines_[index];
  if (plot_.by.empty()) return theme().neutral(line.column);
  for (std::size_t b = 0; b < plot_.by.size(); ++b) {
    QColor color = known_color(theme(), plot_.by[b], to_q(line.values[b]));
    if (!color.isValid()) continue;
    const auto alike = [&](const PlottedLine& other) {
      return other.column == line.column && other.values[b] == line.values[b];
    };
    const auto all = std::ranges::count_if(lines_, alike),
               before = std::count_if(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(index), alike);
    color.setAlphaF(static_cast<float>(1 - 0.65 * static_cast<double>(before) / static_cast<double>(all)));
    return color;
  }
  // One and the same for all columns of a value: dashes distinguish lines.
  std::vector<const std::vector<std::string>*> values;
  for (const PlottedLine& known : lines_) {
    if (known.values == line.values) break;
    if (std::ranges::none_of(values, [&](const auto* one) { return *one == known.values; }))
      values.push_back(&known.values);
  }
  return theme().neutral(values.size());
}

/// Inside of the markers of a policy.
unsigned SeriesChart::strokes_of(const PlottedLine& line) const {
  const auto by = std::ranges::find(plot_.by, "policy");
  return by == plot_.by.end() ? 0 : policy_strokes(to_q(line.values[static_cast<std::size_t>(by - plot_.by.begin())]));
}

void SeriesChart::refresh() {
  while (series_.size() < lines_.size()) {
    auto* series = series_.emplace_back(new QLineSeries);
    chart().addSeries(series);
    series->attachAxis(x_axis_);
    series->attachAxis(y_axis_);
  }
  for (std::size_t i = 0; i < series_.size(); ++i) {
    QList<QPointF> points;
    if (i < lines_.size()) {
      const auto& from = lines_[i].points;
      const std::size_t stride = (from.size() + max_points - 1) / max_points;
      for (std::size_t p = 0; p < from.size(); p += stride) points.append({from[p].x, from[p].y});
      series_[i]->setName(to_q(lines_[i].name));
      series_[i]->setPen(curve_pen(color_of(i), 1.9, line_dashes(i)));
    }
    series_[i]->replace(points);
    series_[i]->setVisible(i < lines_.size() && shown(lines_[i]));
  }
  set_axes();
  set_legend();
}

void SeriesChart::set_axes() {
  constexpr double none = std::numeric_limits<double>::infinity();
  double left = none, right = -none, low = none, high = -none;
  for (const PlottedLine& line : lines_) {
    if (!shown(line)) continue;
    for (const PlottedPoint& point : line.points) {
      left = std::min(left, point.x);
      right = std::max(right, point.x);
      low = std::min(low, point.interval ? std::min(point.interval->low, point.y) : point.y);
      high = std::max(high, point.interval ? std::max(point.interval->high, point.y) : point.y);
    }
  }
  x_axis_->setTitleText(core_text(plot_.x).toHtmlEscaped());
  y_axis_->setTitleText(y_title_.toHtmlEscaped());
  if (left > right) return;
  const double wide = right > left ? 0.03 * (right - left) : std::max(0.5, 0.05 * std::abs(left));
  set_round_ticks(*x_axis_, left - wide, right + wide, 8);
  // From zero, unless all of them are far from it and close together.
  if (low > 0 && low <= 0.5 * high) low = 0;
  const double tall = high > low ? 0.06 * (high - low) : std::max(0.05, 0.05 * std::abs(high));
  set_round_ticks(*y_axis_, low == 0 ? 0 : low - tall, high + tall, compact() ? 3 : 6);
}

void SeriesChart::set_legend() {
  std::vector<LegendItem> items;
  if (compact() && !lines_.empty())  // no room for the axes' titles; first, as the row may be cut
    items.push_back(
        {"",
         y_title_.isEmpty() ? tr("vs. %1").arg(core_text(plot_.x)) : tr("%1 vs. %2").arg(y_title_, core_text(plot_.x)),
         tr("Axes of the chart"), LegendItem::Sign::marker, theme().muted, look_of(provenance_), false});
  for (std::size_t i = 0; i < lines_.size() && i < max_named; ++i) {
    const QString id = to_q(lines_[i].name), name = core_text(lines_[i].name);
    items.push_back({id,
                     name,
                     QStringLiteral("%1 (%2)").arg(name, provenance_text(provenance_)),
                     LegendItem::Sign::line,
                     color_of(i),
                     {},
                     !shown(lines_[i]),
                     0,
                     line_dashes(i)});
  }
  if (lines_.size() > max_named)
    items.push_back({"",
                     tr("and %n more", nullptr, static_cast<int>(lines_.size() - max_named)),
                     tr("Hover over a point to see its line"),
                     LegendItem::Sign::line,
                     theme().muted,
                     {},
                     false});
  if (std::ranges::any_of(lines_, [](const PlottedLine& line) {
        return std::ranges::any_of(line.points, [](const PlottedPoint& point) { return point.interval.has_value(); });
      }))
    items.push_back({"",
                     tr("95 % interval"),
                     tr("Bars: 95 % interval of the mean"),
                     LegendItem::Sign::thin_line,
                     theme().muted,
                     {},
                     false});
  legend().set_items(std::move(items));
}

void SeriesChart::paint_over(QPainter& painter) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(chart().plotArea().adjusted(-9, -9, 9, 9));
  for (std::size_t i = 0; i < lines_.size() && i < series_.size(); ++i) {
    if (!shown(lines_[i])) continue;
    const QColor color = color_of(i);
    const auto place = [&](double x, double y) { return chart().mapToPosition({x, y}, series_[i]); };
    const double room = chart().plotArea().width() / static_cast<double>(lines_[i].points.size());
    for (const PlottedPoint& point : lines_[i].points) {
      if (point.interval) {
        painter.setPen(curve_pen(color, 1));
        painter.drawLine(place(point.x, point.interval->low), place(point.x, point.interval->high));
      }
      if (room > 5 || lines_[i].points.size() == 1)
        draw_marker(painter, place(point.x, point.y), look_of(provenance_), color, theme().base, room > 14 ? 3.4 : 2.4,
                    true, strokes_of(lines_[i]));
    }
  }
  painter.restore();
}

QString SeriesChart::tip_of(const PlottedLine& line, const PlottedPoint& point) const {
  QString text = QStringLiteral("%1\n%2: %3\n%4: %5")
                     .arg(core_text(line.name), core_text(plot_.x), exact(point.x), core_text(plot_.y[line.column]),
                          exact(point.y));
  if (point.interval)
    text = tr("%1 (95 %: %2 to %3)").arg(text, exact(point.interval->low), exact(point.interval->high));
  return text + '\n' + provenance_text(provenance_);
}

// A row for each line that is switched on.
PointKeys::Rows SeriesChart::key_rows() const {
  PointKeys::Rows rows;
  for (std::size_t i = 0; i < lines_.size() && i < series_.size(); ++i) {
    const PlottedLine& line = lines_[i];
    if (!shown(line)) continue;
    auto& row = rows.emplace_back();
    for (const PlottedPoint& point : line.points)
      row.push_back({to_q(line.name),
                     {},
                     point.x,
                     mark_around(chart().mapToPosition({point.x, point.y}, series_[i])),
                     {},
                     [this, i, point] { return tip_of(lines_[i], point); }});
  }
  return rows;
}

QString SeriesChart::empty_text() const {
  if (lines_.empty()) return tr("Nothing to plot: no row has both values. See the table.");
  return std::ranges::none_of(lines_, [this](const PlottedLine& line) { return shown(line); })
             ? tr("All lines are hidden. Click one in the legend to show it.")
             : QString();
}

ChartTable SeriesChart::table() const {
  ChartTable table{{"line", "x", "x_value", "y", "y_value", "low_95", "high_95", "provenance"}, {}};
  for (const PlottedLine& line : lines_)
    for (const PlottedPoint& point : line.points)
      table.rows.append({to_q(line.name), to_q(plot_.x), exact(point.x), to_q(plot_.y[line.column]), exact(point.y),
                         point.interval ? exact(point.interval->low) : QString(),
                         point.interval ? exact(point.interval->high) : QString(),
                         QString::fromLatin1(to_string(provenance_))});
  return table;
}

}  // namespace kvantage
