#include "core/report/formats/latex.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/json_fields.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline formats {
namespace {

constexpr std::size_t rows_of_a_page = 40;
using ShapeKind = ReportPlot::Kind;

std::string latex_number(double value) { return dump_json(Json(value)); }

// A leading "[" or "*" would be parsed as an option of the preceding line end.
std::string first_cell(const std::string& text) {
  return text.starts_with('[') || text.starts_with('*') ? "{}" + latex_escaped(text) : latex_escaped(text);
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += i == 0 ? first_cell(cells[i]) : " & " + latex_escaped(cells[i]);
  return text + " \\\\\n";
}

const char* style_of(const ReportPlot& plot) {
  switch (plot.kind) {
    case ShapeKind::points:
    case ShapeKind::means:
      return "only marks";
    case ShapeKind::steps:
      return "const plot, no marks";
    case ShapeKind::bars:
      return "ybar, fill, solid, no marks";
    case ShapeKind::histogram:  // outlines: the bars of several runs would cover each other
      return "const plot, thick, no marks";
    case ShapeKind::boxes:  // boxes_text()
    case ShapeKind::curves:
      break;
  }
  return "mark size=1.5pt";
}

std::string axis_options(const ReportPlot& plot) {
  std::string options = "width=0.95\\linewidth, height=0.5\\linewidth, xlabel={" +
                        latex_escaped(axis_text(plot.x_label, plot.x_unit)) + "}, ylabel={" +
                        latex_escaped(axis_text(plot.y_label, plot.y_unit)) + "}, grid=major, cycle list name=exotic";
  // The legend overlays the plot, so wide names take no space from it.
  std::size_t longest = 1;
  for (const PlotSeries& series : plot.series) longest = std::max(longest, series.shown().size());
  options += ", legend style={at={(0.5,1.03)}, anchor=south, font=\\scriptsize, legend columns=" +
             std::to_string(std::clamp<std::size_t>(60 / (longest + 4), 1, 4)) + "}";
  if (plot.kind == ShapeKind::histogram) return options + ", ymin=0";
  if (plot.kind != ShapeKind::bars && plot.kind != ShapeKind::boxes) return options;
  std::string ticks, labels;
  for (std::size_t i = 0; i < plot.places.size(); ++i) {
    ticks += (i == 0 ? "" : ",") + std::to_string(i);
    labels += (i == 0 ? "{" : ",{") + latex_escaped(plot.places[i].name + ", " + plot.places[i].total) + "}";
  }
  const bool bars = plot.kind == ShapeKind::bars;
  return options + (bars ? ", stack plots=y, area legend" : "") +
         ", every axis x label/.style={at={(1.02,0)}, anchor=west}" + (bars ? ", bar width=12pt" : "") +
         ", enlarge x limits={abs=0.6}" + (bars ? ", ymin=0" : "") + ", xtick={" + ticks + "}, xticklabels={" + labels +
         "}, x tick label style={rotate=30, anchor=north east, font=\\scriptsize}";
}

std::string error_bars(const PlotPoint& point) {
  if (!point.interval && !point.x_interval) return {};
  const auto far = [](const std::optional<Interval>& interval, double at, bool up) {
    return latex_number(!interval ? 0 : up ? interval->high - at : at - interval->low);
  };
  return " += (" + far(point.x_interval, point.x, true) + ", " + far(point.interval, point.y, true) + ") -= (" +
         far(point.x_interval, point.x, false) + ", " + far(point.interval, point.y, false) + ")";
}

// From the lowest to the highest of both axes: pgfplots knows its own limits only once it has read every point.
std::string diagonal_text(const ReportPlot& plot) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      low = std::min({low, point.x, point.y});
      high = std::max({high, point.x, point.y});
    }
  return "\\addplot[gray, dashed, no marks, forget plot] coordinates {(" + latex_number(low) + ", " +
         latex_number(low) + ") (" + latex_number(high) + ", " + latex_number(high) + ")};\n";
}

// Whiskers and boxes are error bars up to the values of another series: documents may lack the library of box plots.
std::string boxes_text(const ReportPlot& plot) {
  struct Part {
    const char* style;
    std::size_t up_to = 0;  // a series; 0: no bar
  };
  constexpr std::array parts{
      Part{"black, only marks, mark=-, error bars/.cd, y dir=plus, y explicit, error mark=none", 1},
      Part{"black!30, only marks, mark=-, mark size=0pt, error bars/.cd, y dir=plus, y explicit, error mark=none, "
           "error bar style={line width=9pt}",
           3},
      Part{"black, only marks, mark=-, mark size=4.5pt, thick"},
      Part{"black, only marks, mark=-, mark size=0pt, error bars/.cd, y dir=plus, y explicit, error mark=none", 4},
      Part{"black, only marks, mark=-"}};
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), plot.series.size()); ++i) {
    text += std::string("\\addplot[") + parts[i].style + "] coordinates {\n";
    for (std::size_t p = 0; p < plot.series[i].points.size(); ++p) {
      const PlotPoint& point = plot.series[i].points[p];
      text += "(" + latex_number(point.x) + ", " + latex_number(point.y) + ")";
      const std::size_t to = parts[i].up_to;
      if (to > 0 && to < plot.series.size() && p < plot.series[to].points.size())
        text += " += (0, " + latex_number(plot.series[to].points[p].y - point.y) + ")";
      text += "\n";
    }
    text += "};\n";
  }
  return text;
}

std::string series_text(const ReportPlot& plot, const PlotSeries& series) {
  // Stacked bars have no space for the intervals of their parts: the tables have them.
  const bool bars = plot.kind != ShapeKind::bars && std::ranges::any_of(series.points, [](const PlotPoint& point) {
                      return point.interval || point.x_interval;
                    });
  std::string text = std::string("\\addplot+[") + style_of(plot) + (series.aside ? ", dashed, no marks" : "") +
                     (bars ? ", error bars/.cd, x dir=both, x explicit, y dir=both, y explicit" : "") +
                     "] coordinates {\n";
  for (const PlotPoint& point : series.points) {
    text += "(" + latex_number(point.x) + ", " + latex_number(point.y) + ")";
    if (bars) text += error_bars(point);
    text += "\n";
  }
  return text + "};\n\\addlegendentry{" + latex_escaped(series.shown()) + "}\n";
}

}  // namespace

std::size_t latex_tables_of(const Table& table) { return (table.rows.size() + rows_of_a_page - 1) / rows_of_a_page; }

std::string latex_table(const Table& table) {
  std::string columns, text;
  for (const Cell& cell : table.rows.front()) columns += cell.left ? 'l' : 'r';
  for (std::size_t first = 0; first < table.rows.size(); first += rows_of_a_page) {
    text += "\\begin{table}[!htbp]\n\\centering\n\\caption{" + latex_breakable(table.title);
    if (first > 0)
      text += ", continued";
    else if (!table.note.empty())
      text += " (" + latex_breakable(table.note) + ")";
    text += "}\n\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n\\begin{kvantagefit}\n\\begin{tabular}{" + columns +
            "}\n\\hline\n" + row_text(table.columns) + "\\hline\n";
    for (std::size_t r = first; r < std::min(first + rows_of_a_page, table.rows.size()); ++r) {
      std::vector<std::string> cells;
      for (const Cell& cell : table.rows[r]) cells.push_back(cell.text);
      text += row_text(cells);
    }
    text += "\\hline\n\\end{tabular}\n\\end{kvantagefit}\n\\end{table}\n";
  }
  return text;
}

std::string latex_picture(const ReportPlot& plot) {
  std::string text = "\\begin{tikzpicture}\n\\begin{axis}[" + axis_options(plot) + "]\n";
  if (plot.kind == ShapeKind::boxes)
    text += boxes_text(plot);
  else
    for (const PlotSeries& series : plot.series) text += series_text(plot, series);
  if (plot.diagonal) text += diagonal_text(plot);
  return text + "\\end{axis}\n\\end{tikzpicture}\n";
}

std::string latex_plot(const ReportPlot& plot) {
  return "\\ifcsname pgfplotsset\\endcsname\n\\begin{figure}[!htbp]\n\\centering\n\\begin{kvantagefit}\n" +
         latex_picture(plot) + "\\end{kvantagefit}\n\\caption{" + latex_breakable(plot.title) + " (" +
         latex_breakable(plot.note) + ")}\n\\end{figure}\n\\fi\n";
}

}  // namespace kvantage::inline formats
