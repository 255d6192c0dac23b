// Bars by category, counts by bin and cells by row of a table's plot.
#pragma once

#include "core/base/statistics.h"
#include "core/report/figure.h"

namespace kvantage::inline plots {

struct PlottedBar {
  double value = 0;
  std::optional<Interval> interval;
};
struct BarGroup {
  std::string name;                             // as in a legend
  std::size_t column = 0;                       // of FigurePlot::y
  std::vector<std::string> values;              // of FigurePlot::by
  std::vector<std::optional<PlottedBar>> bars;  // one per category
};
struct PlottedBars {
  std::vector<std::string> categories;  // in order of first appearance
  std::vector<BarGroup> groups;         // side by side
};
/// Rows without a category or a finite number are skipped; of several rows for one bar, the last counts. Empty without
/// a plot of bars.
PlottedBars plotted_bars(const FigureTable& table);

struct BinGroup {
  std::string name;
  std::size_t column = 0;
  std::vector<std::string> values;  // of FigurePlot::by
  std::vector<std::size_t> counts;  // one per bin
};
struct PlottedBins {
  std::vector<double> edges;  // ascending, one more than bins, the same for all groups
  std::vector<BinGroup> groups;
};
/// Bins of all numbers (core/report/plot_axes.h). Empty without a histogram.
PlottedBins plotted_bins(const FigureTable& table);

struct PlottedCells {
  std::vector<std::string> columns, rows;     // numbers ascending; texts in order of first appearance
  std::vector<std::optional<double>> values;  // row by row; nothing where the table has no number
  double low = 0, high = 0;                   // of the values
};
/// Of several rows for one cell, the last counts. Empty without a heat map.
PlottedCells plotted_cells(const FigureTable& table);

}  // namespace kvantage::inline plots
