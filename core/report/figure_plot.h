// A table's plot as JSON, and its lines or spans, read from the columns that it names. The other kinds are in
// core/report/plots.
#pragma once

#include "core/base/statistics.h"
#include "core/report/figure.h"

namespace kvantage::inline report {

Json to_json(const FigurePlot& plot);
/// rejected_input naming `name`, the field, and a column that `table` lacks, a number of columns that the kind does not
/// take, or a published mark that is no number.
Expected<FigurePlot> figure_plot_from_json(const Json& json, const FigureTable& table, const std::string& name);

struct PlottedPoint {
  double x = 0, y = 0;
  std::optional<Interval> interval;
};
struct PlottedLine {
  std::string name;                  // as in a legend
  std::size_t column = 0;            // of FigurePlot::y
  std::vector<std::string> values;   // of FigurePlot::by, empty where a row has no value
  std::vector<PlottedPoint> points;  // ascending in x
};
/// In column order, then row order; rows without a finite number in x or y are skipped. Empty without a line plot.
std::vector<PlottedLine> plotted_lines(const FigureTable& table);

struct PlottedSpan {
  std::string lane, label, kind;  // `label` is drawn on it, spans of one kind look alike; both may be empty
  double begin = 0, end = 0;
};
/// In row order; those without both ends are skipped. Empty without a span plot.
std::vector<PlottedSpan> plotted_spans(const FigureTable& table);

}  // namespace kvantage::inline report
