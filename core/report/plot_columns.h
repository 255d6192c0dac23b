// What a plot reads of its table: the columns that it names, numbers with their intervals, and the groups of rows that
// are drawn alike. Private to core/report and core/report/plots.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/report/figure.h"

namespace kvantage::inline report {

using TableRow = std::vector<Json>;

/// Of duplicate names the first; nothing where there is none.
std::optional<std::size_t> column_of(const FigureTable& table, const std::string& name);
/// Nothing where one of them is missing.
std::optional<std::vector<std::size_t>> columns_of(const FigureTable& table, const std::vector<std::string>& names);
/// Empty for a missing value.
/// Whether its rows differ in this column.
bool tells_apart(const FigureTable& table, std::size_t column);
std::string text_of_cell(const Json& cell);
/// Finite; nothing for any other cell.
std::optional<double> number_of_cell(const Json& cell);
/// The two columns behind `column`, where they are called "low" and "high" and both have a number.
std::optional<Interval> interval_behind(const FigureTable& table, const TableRow& row, std::size_t column);

/// Rows that are drawn alike: a line, the bars of one color, ...
struct PlotGroup {
  std::string name;                 // as in a legend
  std::size_t column = 0;           // of FigurePlot::y
  std::vector<std::string> values;  // of the columns that tell groups apart, empty where a row has no value
};

/// Finds the group of a row; groups are in order of first appearance. The table outlives it.
class PlotGroups {
 public:
  /// `by`: columns of the table. `several`: names start with the plotted column.
  PlotGroups(const FigureTable& table, std::vector<std::size_t> by, bool several);
  /// Its index, of a new one if need be. `y`: which of FigurePlot::y; `column`: the table's column behind it, whose
  /// name a group has that nothing else tells apart.
  std::size_t of(const TableRow& row, std::size_t y, std::size_t column);
  const std::vector<PlotGroup>& all() const { return groups_; }

 private:
  std::string name_of(const TableRow& row, std::size_t column) const;
  const FigureTable& table_;
  std::vector<std::size_t> by_, telling_;
  bool several_;
  std::vector<PlotGroup> groups_;
};

/// Rows with finite numbers in x and y, in the groups of the first `grouping` columns of `by`: in column order, then
/// row order. `point` makes one of a row, its places in x and y, and these numbers.
template <class Group, class Point>
std::vector<Group> grouped_points(const FigureTable& table, std::size_t grouping, Point point) {
  std::vector<Group> all;
  const auto x = column_of(table, table.plot->x);
  const auto y = columns_of(table, table.plot->y);
  auto by = columns_of(table, table.plot->by);
  if (!x || !y || !by) return all;
  by->resize(std::min(by->size(), grouping));
  PlotGroups groups(table, *by, y->size() > 1);
  for (std::size_t c = 0; c < y->size(); ++c)
    for (const TableRow& row : table.rows) {
      const auto at = number_of_cell(row[*x]), value = number_of_cell(row[(*y)[c]]);
      if (!at || !value) continue;
      const std::size_t group = groups.of(row, c, (*y)[c]);
      if (group == all.size()) {
        const PlotGroup& made = groups.all().back();
        all.push_back({made.name, made.column, made.values, {}});
      }
      all[group].points.push_back(point(row, *x, (*y)[c], *at, *value));
    }
  return all;
}

}  // namespace kvantage::inline report
