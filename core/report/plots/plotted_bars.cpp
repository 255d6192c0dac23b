#include "core/report/plots/plotted_bars.h"

#include <algorithm>

#include "core/report/plot_axes.h"
#include "core/report/plot_columns.h"

namespace kvantage::inline plots {
namespace {

/// The index of `name`, added where it is new.
std::size_t place_in(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

/// The distinct texts of a column in the order in which they are drawn.
std::vector<std::string> names_of(const FigureTable& table, std::size_t column) {
  std::vector<std::string> names;
  std::vector<std::pair<double, std::string>> numbers;
  bool all_numbers = true;
  for (const TableRow& row : table.rows) {
    if (row[column].is_null()) continue;
    const std::string text = text_of_cell(row[column]);
    if (std::ranges::find(names, text) != names.end()) continue;
    names.push_back(text);
    const auto number = number_of_cell(row[column]);
    all_numbers = all_numbers && number;
    numbers.emplace_back(number.value_or(0), text);
  }
  if (!all_numbers) return names;
  std::ranges::stable_sort(numbers, {}, &std::pair<double, std::string>::first);
  std::ranges::transform(numbers, names.begin(), &std::pair<double, std::string>::second);
  return names;
}

}  // namespace

PlottedBars plotted_bars(const FigureTable& table) {
  PlottedBars found;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::bars) return found;
  const auto x = column_of(table, table.plot->x);
  const auto y = columns_of(table, table.plot->y), by = columns_of(table, table.plot->by);
  if (!x || !y || !by) return found;
  PlotGroups groups(table, *by, y->size() > 1);
  for (std::size_t c = 0; c < y->size(); ++c)
    for (const TableRow& row : table.rows) {
      const std::size_t column = (*y)[c];
      const auto value = number_of_cell(row[column]);
      if (row[*x].is_null() || !value) continue;
      const std::size_t group = groups.of(row, c, column), category = place_in(found.categories, text_of_cell(row[*x]));
      if (group == found.groups.size()) {
        const PlotGroup& made = groups.all().back();
        found.groups.push_back({made.name, made.column, made.values, {}});
      }
      auto& bars = found.groups[group].bars;
      if (bars.size() <= category) bars.resize(category + 1);
      bars[category] = PlottedBar{*value, interval_behind(table, row, column)};
    }
  for (BarGroup& group : found.groups) group.bars.resize(found.categories.size());
  return found;
}

PlottedBins plotted_bins(const FigureTable& table) {
  PlottedBins found;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::histogram) return found;
  const auto x = column_of(table, table.plot->x);
  const auto by = columns_of(table, table.plot->by);
  if (!x || !by) return found;
  PlotGroups groups(table, *by, false);
  std::vector<std::pair<std::size_t, double>> numbers;
  std::vector<double> all;
  numbers.reserve(table.rows.size());
  all.reserve(table.rows.size());
  for (const TableRow& row : table.rows)
    if (const auto value = number_of_cell(row[*x])) {
      numbers.emplace_back(groups.of(row, 0, *x), *value);
      all.push_back(*value);
    }
  if (all.empty()) return found;
  found.edges = bin_edges(all);
  const std::size_t bins = found.edges.size() - 1;
  found.groups.reserve(groups.all().size());
  for (const PlotGroup& group : groups.all())
    found.groups.push_back({group.name, group.column, group.values, std::vector<std::size_t>(bins, 0)});
  for (const auto& [group, value] : numbers) ++found.groups[group].counts[bin_of(found.edges, value)];
  return found;
}

PlottedCells plotted_cells(const FigureTable& table) {
  PlottedCells found;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::heat_map || table.plot->y.size() != 2) return found;
  const auto x = column_of(table, table.plot->x);
  const auto y = columns_of(table, table.plot->y);
  if (!x || !y) return found;
  found.columns = names_of(table, *x);
  found.rows = names_of(table, y->front());
  found.values.resize(found.columns.size() * found.rows.size());
  bool any = false;
  for (const TableRow& row : table.rows) {
    const auto value = number_of_cell(row[y->back()]);
    if (row[*x].is_null() || row[y->front()].is_null() || !value) continue;
    const std::size_t column = place_in(found.columns, text_of_cell(row[*x])),
                      line = place_in(found.rows, text_of_cell(row[y->front()]));
    found.values[line * found.columns.size() + column] = *value;
  }
  for (const auto& value : found.values) {
    if (!value) continue;
    found.low = any ? std::min(found.low, *value) : *value;
    found.high = any ? std::max(found.high, *value) : *value;
    any = true;
  }
  return any ? found : PlottedCells{};
}

}  // namespace kvantage::inline plots
