// What the drawing of a table consists of: its lines or its spans, read from the columns that it names.
#pragma once

#include "core/base/statistics.h"
#include "core/report/figure.h"

namespace kvantage {

Json to_json(const FigurePlot& plot);
/// rejected_input naming `name`, the field, and a column that `table` does not have.
Expected<FigurePlot> figure_plot_from_json(const Json& json, const FigureTable& table, const std::string& name);

struct PlottedPoint {
  double x = 0, y = 0;
  std::optional<Interval> interval;
};
struct PlottedLine {
  std::string name;                  // as in a legend
  std::size_t column = 0;            // of FigurePlot::y
  std::vector<std::string> values;   // of FigurePlot::by, empty where a row has nothing
  std::vector<PlottedPoint> points;  // by rising x
};
/// In the order of the columns, then of the rows; rows without a number in x or y are left out. Empty without a plot of
/// lines.
std::vector<PlottedLine> plotted_lines(const FigureTable& table);

struct PlottedSpan {
  std::string lane, label, kind;  // `label` stands on it, spans of one kind look alike; both may be empty
  double begin = 0, end = 0;
};
/// In the order of the rows; those without both ends are left out. Empty without a plot of spans.
std::vector<PlottedSpan> plotted_spans(const FigureTable& table);

}  // namespace kvantage
