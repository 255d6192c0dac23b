#include "ui/papers/charts/figure_bars_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/ticks.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double bar_width = 0.8;  // of a category, all groups together

PlottedBars bars_of(const PlottedBins& bins) {
  PlottedBars bars;
  if (bins.groups.empty()) return bars;
  for (std::size_t b = 0; b + 1 < bins.edges.size(); ++b)
    bars.categories.push_back(figure_cell_text(Json(bins.edges[b])) + " to " +
                              figure_cell_text(Json(bins.edges[b + 1])));
  bars.groups.reserve(bins.groups.size());
  for (const BinGroup& group : bins.groups) {
    BarGroup made{group.name, group.column, group.values, {}};
    made.bars.reserve(group.counts.size());
    for (const std::size_t count : group.counts) made.bars.push_back(PlottedBar{static_cast<double>(count), {}});
    bars.groups.push_back(std::move(made));
  }
  return bars;
}

}  // namespace

FigureBarsChart::FigureBarsChart(QWidget* parent)
    : GroupedChart(tr("Bars of a figure"), parent),
      series_(new QBarSeries),
      category_axis_(new QBarCategoryAxis),
      value_axis_(new QValueAxis) {
  value_axis_->setTickType(QValueAxis::TicksDynamic);
  category_axis_->setGridLineVisible(false);
  chart().addAxis(category_axis_, Qt::AlignBottom);
  chart().addAxis(value_axis_, Qt::AlignLeft);
  series_->setBarWidth(bar_width);
  chart().addSeries(series_);
  series_->attachAxis(category_axis_);
  series_->attachAxis(value_axis_);
  allow_low(60);
  set_theme(theme());
}

void FigureBarsChart::take(const FigureResult& result, std::size_t table) {
  const FigureTable& from = result.tables[table];
  const PlottedBins bins = plotted_bins(from);
  edges_ = bins.edges;
  bars_ = counts() ? bars_of(bins) : plotted_bars(from);
  std::vector<ChartGroup> groups = chart_groups(bars_.groups);
  std::vector<PlottedMark> marks =
      groups.empty() ? std::vector<PlottedMark>{} : plotted_marks(from, names_of(groups), bars_.categories);
  set_groups(std::move(groups), std::move(marks));
}

std::size_t FigureBarsChart::shown_before(std::size_t group) const {
  std::size_t count = 0;
  for (std::size_t g = 0; g < group; ++g) count += shown(g);
  return count;
}

/// In categories; each group that is switched on has its part of a category.
double FigureBarsChart::width_of_bar() const {
  return bar_width / static_cast<double>(std::max<std::size_t>(shown_before(bars_.groups.size()), 1));
}

double FigureBarsChart::middle_of(double category, std::size_t group) const {
  return category - bar_width / 2 + (static_cast<double>(shown_before(group)) + 0.5) * width_of_bar();
}

/// In categories; a number of a histogram is somewhere in its bin.
double FigureBarsChart::x_of_mark(const PlottedMark& mark) const {
  if (!mark.at) return 0;
  if (counts())
    return (*mark.at - edges_.front()) / (edges_.back() - edges_.front()) * static_cast<double>(edges_.size() - 1) -
           0.5;
  return mark.group ? middle_of(*mark.at, *mark.group) : *mark.at;
}

QPointF FigureBarsChart::place_of(const PlottedMark& mark, double y) const {
  return chart().mapToPosition({x_of_mark(mark), y}, series_);
}

QRectF FigureBarsChart::bar_box(std::size_t group, std::size_t category) const {
  const auto& bar = bars_.groups[group].bars[category];
  const double middle = middle_of(static_cast<double>(category), group), half = width_of_bar() / 2;
  return QRectF(chart().mapToPosition({middle - half, bar ? bar->value : 0}, series_),
                chart().mapToPosition({middle + half, 0}, series_))
      .normalized();
}

void FigureBarsChart::refresh() {
  set_legend();  // first, as names have the room that it leaves
  set_names();
  set_values();
  series_->clear();
  for (std::size_t g = 0; g < bars_.groups.size(); ++g) {
    if (!shown(g)) continue;
    auto* set = new QBarSet(to_q(bars_.groups[g].name));
    for (const auto& bar : bars_.groups[g].bars) set->append(bar ? bar->value : 0);
    set->setBrush(QBrush(color_of(g), bar_pattern(g)));
    // A missing bar has the height of zero and no outline, unlike a hatched one, which would not be seen without.
    set->setPen(bar_pattern(g) == Qt::SolidPattern ? QPen(Qt::NoPen) : QPen(color_of(g), 1));
    series_->append(set);
  }
}

void FigureBarsChart::set_names() {
  category_axis_->setTitleText(axis_title(x_title()).toHtmlEscaped());
  fit_names(*category_axis_, bars_.categories);
}

void FigureBarsChart::set_values() {
  double low = 0, high = 0;
  const auto add = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (std::size_t g = 0; g < bars_.groups.size(); ++g) {
    if (!shown(g)) continue;
    for (const auto& bar : bars_.groups[g].bars) {
      if (!bar) continue;
      add(bar->value);
      if (!bar->interval) continue;
      add(bar->interval->low);
      add(bar->interval->high);
    }
  }
  for (const PlottedMark& mark : marks())
    if (shown(mark)) {
      add(mark.low);
      add(mark.high);
    }
  value_axis_->setTitleText(axis_title(y_title()).toHtmlEscaped());
  if (low == high) high = 1;
  const double room = 0.06 * (high - low);
  set_round_ticks(*value_axis_, low < 0 ? low - room : 0, high > 0 ? high + room : 0, compact() ? 3 : 6);
}

void FigureBarsChart::set_legend() {
  std::vector<LegendItem> items;
  if (compact() && !bars_.groups.empty()) items.push_back(axes_item());
  add_group_items(items, LegendItem::Sign::swatch);
  if (std::ranges::any_of(bars_.groups, [](const BarGroup& group) {
        return std::ranges::any_of(group.bars, [](const auto& bar) { return bar && bar->interval; });
      }))
    add_interval_item(items);
  add_mark_items(items);
  legend().set_items(std::move(items));
}

void FigureBarsChart::paint_over(QPainter& painter) {
  if (bars_.groups.empty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(curve_pen(theme().text, 1));
  for (std::size_t g = 0; g < bars_.groups.size(); ++g)
    for (std::size_t c = 0; c < bars_.categories.size(); ++c) {
      const auto& bar = bars_.groups[g].bars[c];
      if (!bar || !bar->interval || !shown(g)) continue;
      const double x = middle_of(static_cast<double>(c), g);
      const QPointF low = chart().mapToPosition({x, bar->interval->low}, series_),
                    high = chart().mapToPosition({x, bar->interval->high}, series_), cap(3, 0);
      painter.drawLine(low, high);
      painter.drawLine(low - cap, low + cap);
      painter.drawLine(high - cap, high + cap);
    }
  painter.restore();
  paint_marks(painter);
}

QString FigureBarsChart::tip_of(std::size_t group, std::size_t category) const {
  const auto& bar = bars_.groups[group].bars[category];
  QString value = exact_text(bar->value);
  if (bar->interval)
    value = tr("%1 (95 %: %2 to %3)").arg(value, exact_text(bar->interval->low), exact_text(bar->interval->high));
  const QString y = counts() ? y_title() : core_text(plot().y[bars_.groups[group].column]);
  return QStringLiteral("%1\n%2: %3\n%4: %5\n%6")
      .arg(core_text(bars_.groups[group].name), x_title(), core_text(bars_.categories[category]), y, value,
           provenance_text(provenance()));
}

QString FigureBarsChart::tip_at(const QPointF& at) const {
  if (!chart().plotArea().adjusted(-2, -2, 2, 2).contains(at)) return {};  // a bar beside what is shown
  for (std::size_t g = 0; g < bars_.groups.size(); ++g)
    for (std::size_t c = 0; c < bars_.categories.size(); ++c)
      if (shown(g) && bars_.groups[g].bars[c] && bar_box(g, c).adjusted(0, -2, 0, 2).contains(at)) return tip_of(g, c);
  return tip_near(at);  // of what the paper reports
}

// A row for each group that is switched on.
PointKeys::Rows FigureBarsChart::key_rows() const {
  PointKeys::Rows rows;
  for (std::size_t g = 0; g < bars_.groups.size(); ++g) {
    if (!shown(g)) continue;
    std::vector<PointStop> row;
    for (std::size_t c = 0; c < bars_.categories.size(); ++c)
      if (bars_.groups[g].bars[c])
        row.push_back({to_q(bars_.groups[g].name),
                       {},
                       static_cast<double>(c),
                       bar_box(g, c).adjusted(-1, -1, 1, 1),
                       {},
                       [this, g, c] { return tip_of(g, c); }});
    if (!row.empty()) rows.push_back(std::move(row));
  }
  if (!bars_.groups.empty()) add_mark_keys(rows);
  return rows;
}

ChartTable FigureBarsChart::table() const {
  ChartTable table{{"group", "x", "x_value", "y", "y_value", "low_95", "high_95", "provenance"}, {}};
  for (const BarGroup& group : bars_.groups)
    for (std::size_t c = 0; c < bars_.categories.size(); ++c) {
      const auto& bar = group.bars[c];
      if (!bar) continue;
      table.rows.append({to_q(group.name), to_q(plot().x), to_q(bars_.categories[c]),
                         to_q(counts() ? plotted_y_title(plot()) : plot().y[group.column]), exact_text(bar->value),
                         bar->interval ? exact_text(bar->interval->low) : QString(),
                         bar->interval ? exact_text(bar->interval->high) : QString(),
                         QString::fromLatin1(to_string(provenance()))});
    }
  add_mark_rows(table);
  return table;
}

}  // namespace kvantage
