#include "core/report/plots/bar_drawings.h"

#include <algorithm>

#include "core/report/chart_shapes.h"
#include "core/report/figure_plot.h"
#include "core/report/plots/drawing_parts.h"
#include "core/report/plots/plotted_bars.h"

namespace kvantage::inline plots {

Drawing bars_drawing(const FigureTable& table) {
  const FigurePlot& plot = *table.plot;
  const PlottedBars bars = plotted_bars(table);
  if (bars.categories.empty()) return {};
  const auto marks = plotted_marks(table, names_of(bars.groups), bars.categories);
  FrameRange unused, y;
  y.add(0);
  for (const BarGroup& group : bars.groups)
    for (const auto& bar : group.bars)
      if (bar) add_to(y, bar->value, bar->interval);
  add_to(unused, y, marks);
  const std::string y_title = plotted_y_title(plot);
  const auto groups = static_cast<double>(bars.groups.size());
  const FrameAxis x{.title = plot.x, .names = bars.categories, .least_room = 5 * groups + 5};
  FigureFrame frame(x, y.axis(y_title), legend_of(names_of(bars.groups), LegendEntry::Sign::box, marks));
  const double wide = 0.8 * frame.column_width() / groups;
  const auto left_of = [&](double category, double group) {
    return frame.x_of(category) + (group - groups / 2) * wide;
  };
  for (std::size_t g = 0; g < bars.groups.size(); ++g)
    for (std::size_t c = 0; c < bars.categories.size(); ++c) {
      const auto& bar = bars.groups[g].bars[c];
      if (!bar) continue;
      const double from = left_of(static_cast<double>(c), static_cast<double>(g));
      frame.add(box_shape(from, frame.y_of(0), from + wide, frame.y_of(bar->value), group_series(g),
                          said(bars.groups[g].name, plot.x, bars.categories[c], y_title, bar->value, bar->interval)));
      // Dark on its own bar: an interval in the color of the bar would not be seen.
      if (bar->interval) add_vertical(frame, from + wide / 2, *bar->interval, published_series);
    }
  frame.add(chart_line(frame.left(), frame.y_of(0), frame.right(), frame.y_of(0)));
  add_marks(frame, marks, [&](const PlottedMark& mark) {
    return mark.group ? left_of(*mark.at, static_cast<double>(*mark.group)) + wide / 2 : frame.x_of(*mark.at);
  });
  return frame.take(table.title);
}

Drawing histogram_drawing(const FigureTable& table) {
  const FigurePlot& plot = *table.plot;
  const PlottedBins bins = plotted_bins(table);
  if (bins.groups.empty()) return {};
  const auto marks = plotted_marks(table, names_of(bins.groups));
  FrameRange x, y;
  y.add(0);
  y.add(1);
  x.add(bins.edges.front());
  x.add(bins.edges.back());
  for (const BinGroup& group : bins.groups)
    for (const std::size_t count : group.counts) y.add(static_cast<double>(count));
  add_to(x, y, marks);
  const std::string y_title = plotted_y_title(plot);
  FigureFrame frame(x.axis(plot.x, false), y.axis(y_title),
                    legend_of(names_of(bins.groups), LegendEntry::Sign::box, marks));
  for (std::size_t b = 0; b + 1 < bins.edges.size(); ++b) {
    const double from = frame.x_of(bins.edges[b]), to = frame.x_of(bins.edges[b + 1]),
                 wide = (to - from) / static_cast<double>(bins.groups.size());
    for (std::size_t g = 0; g < bins.groups.size(); ++g) {
      if (bins.groups[g].counts[b] == 0) continue;
      const auto count = static_cast<double>(bins.groups[g].counts[b]);
      const double left = from + wide * static_cast<double>(g);
      frame.add(
          box_shape(left, frame.y_of(0), left + wide, frame.y_of(count), group_series(g),
                    said(bins.groups[g].name, plot.x,
                         number_text(bins.edges[b]) + " to " + number_text(bins.edges[b + 1]), y_title, count, {})));
    }
  }
  add_marks_at_numbers(frame, marks);
  return frame.take(table.title);
}

Drawing heat_map_drawing(const FigureTable& table) {
  const FigurePlot& plot = *table.plot;
  const PlottedCells cells = plotted_cells(table);
  if (cells.values.empty()) return {};
  const FrameAxis x{.title = plot.x, .names = cells.columns}, y{.title = plot.y.front(), .names = cells.rows};
  FigureFrame frame(x, y,
                    {{LegendEntry::Sign::scale, 0,
                      plot.y.back() + ": " + number_text(cells.low) + " to " + number_text(cells.high)}});
  const double wide = frame.column_width() / 2, high = frame.row_height() / 2;
  for (std::size_t r = 0; r < cells.rows.size(); ++r)
    for (std::size_t c = 0; c < cells.columns.size(); ++c) {
      const auto& value = cells.values[r * cells.columns.size() + c];
      const double middle = frame.x_of(static_cast<double>(c)), center = frame.y_of(static_cast<double>(r));
      Shape cell =
          box_shape(middle - wide, center - high, middle + wide, center + high, Shape::grid,
                    cells.rows[r] + ", " + cells.columns[c] + ": " + (value ? number_text(*value) : "no value"));
      cell.hollow = !value;
      if (value) cell.level = cells.high > cells.low ? (*value - cells.low) / (cells.high - cells.low) : 0.5;
      frame.add(std::move(cell));
      if (value && chart_text_width(number_text(*value)) + 4 <= 2 * wide && high >= 7)
        frame.add_centered(middle, center, number_text(*value));
    }
  return frame.take(table.title);
}

Drawing spans_drawing(const FigureTable& table) {
  const FigurePlot& plot = *table.plot;
  const std::vector<PlottedSpan> spans = plotted_spans(table);
  if (spans.empty()) return {};
  std::vector<std::string> lanes, kinds;
  FrameRange x;
  x.add(0);
  const auto place_in = [](std::vector<std::string>& names, const std::string& one) {
    const auto found = std::ranges::find(names, one);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(one);
    return names.size() - 1;
  };
  for (const PlottedSpan& span : spans) {
    place_in(lanes, span.lane);
    if (!span.kind.empty()) place_in(kinds, span.kind);
    x.add(span.begin);
    x.add(span.end);
  }
  FigureFrame frame(x.axis(plot.x), {.title = {}, .names = lanes}, legend_of(kinds, LegendEntry::Sign::box, {}));
  const double high = std::clamp(frame.row_height() - 6, 2.0, 34.0) / 2;
  for (const PlottedSpan& span : spans) {
    const double center = frame.y_of(static_cast<double>(place_in(lanes, span.lane))), from = frame.x_of(span.begin),
                 to = std::max(frame.x_of(span.end), from + 1);
    const int series = span.kind.empty() ? 0 : group_series(place_in(kinds, span.kind));
    frame.add(box_shape(from, center - high, to, center + high, series,
                        span.lane + (span.kind.empty() ? "" : ", " + span.kind) +
                            (span.label.empty() ? "" : ", " + span.label) + ": " + number_text(span.begin) + " to " +
                            number_text(span.end)));
  }
  return frame.take(table.title);
}

}  // namespace kvantage::inline plots
