#include "core/report/plots/plotted_points.h"

#include <algorithm>

#include "core/report/plot_columns.h"

namespace kvantage::inline plots {

namespace {

/// "50" of column "budget %" is "50 %".
std::string with_unit(const std::string& text, const std::string& column) {
  for (const char* unit : {" %", " s"})
    if (!text.empty() && column.ends_with(unit)) return text + unit;
  return text;
}

}  // namespace

std::vector<PlottedCloud> plotted_clouds(const FigureTable& table) {
  if (!table.plot || table.plot->kind != FigurePlot::Kind::scatter) return {};
  const std::vector<std::string>& by = table.plot->by;
  auto label = by.empty() ? std::nullopt : column_of(table, by.back());
  // Beside its cloud's name, a label that all points have says nothing.
  if (by.size() > 1 && label && !tells_apart(table, *label)) label = std::nullopt;
  return grouped_points<PlottedCloud>(
      table, by.size() > 1 ? by.size() - 1 : by.size(),
      [&](const TableRow& row, std::size_t x, std::size_t y, double at, double value) -> CloudPoint {
        return {at, value, interval_behind(table, row, x), interval_behind(table, row, y),
                label ? with_unit(text_of_cell(row[*label]), by.back()) : std::string()};
      });
}

bool has_band(const FigurePlot& plot, const PlottedLine& line) {
  const std::size_t few = plot.band.empty() ? 8 : 1;
  return line.points.size() > few &&
         std::ranges::all_of(line.points, [](const PlottedPoint& point) { return point.interval.has_value(); });
}

std::vector<PlottedLine> plotted_curves(const FigureTable& table) {
  std::vector<PlottedLine> curves;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::cdf) return curves;
  const auto x = column_of(table, table.plot->x);
  const auto by = columns_of(table, table.plot->by);
  if (!x || !by) return curves;
  PlotGroups groups(table, *by, false);
  std::vector<std::vector<double>> numbers;
  for (const TableRow& row : table.rows) {
    const auto value = number_of_cell(row[*x]);
    if (!value) continue;
    const std::size_t group = groups.of(row, 0, *x);
    if (group == numbers.size()) numbers.emplace_back();
    numbers[group].push_back(*value);
  }
  curves.reserve(numbers.size());
  for (std::size_t g = 0; g < numbers.size(); ++g) {
    std::vector<double>& sorted = numbers[g];
    std::ranges::sort(sorted);
    const PlotGroup& group = groups.all()[g];
    PlottedLine curve{group.name, group.column, group.values, {}};
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (i + 1 == sorted.size() || sorted[i + 1] > sorted[i])
        curve.points.push_back({sorted[i], static_cast<double>(i + 1) / static_cast<double>(sorted.size()), {}});
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace kvantage::inline plots
