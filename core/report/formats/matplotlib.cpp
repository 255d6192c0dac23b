#include "core/report/formats/matplotlib.h"

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline formats {
namespace {

constexpr double mm_per_inch = 25.4;

bool is_finite(const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) &&
         (!point.interval || (std::isfinite(point.interval->low) && std::isfinite(point.interval->high)));
}

/// A string or a list of numbers of JSON is one of Python, too.
std::string python_value(const Json& value) { return dump_json(value); }

std::string series_text(const PlotSeries& series) {
  Json x = Json::array(), y = Json::array(), low = Json::array(), high = Json::array();
  for (const PlotPoint& point : series.points) {
    if (!is_finite(point)) continue;
    x.push_back(point.x);
    y.push_back(point.y);
    if (!point.interval) continue;
    low.push_back(point.interval->low);
    high.push_back(point.interval->high);
  }
  std::string text = "    {\"name\": " + python_value(series.shown()) + ",\n     \"x\": " + python_value(x) +
                     ",\n     \"y\": " + python_value(y);
  if (!low.empty() && low.size() == y.size())
    text += ",\n     \"low\": " + python_value(low) + ",\n     \"high\": " + python_value(high);
  return text + "},\n";
}

const char* draw_of(ReportPlot::Kind kind) {
  switch (kind) {
    case ReportPlot::Kind::steps:
    case ReportPlot::Kind::histogram:
      return "ax.step(one[\"x\"], one[\"y\"], where=\"post\", label=one[\"name\"])";
    case ReportPlot::Kind::points:
    case ReportPlot::Kind::means:
    case ReportPlot::Kind::bars:
    case ReportPlot::Kind::boxes:
      return "ax.plot(one[\"x\"], one[\"y\"], \"o\", markersize=3, label=one[\"name\"])";
    case ReportPlot::Kind::curves:
      break;
  }
  return "ax.plot(one[\"x\"], one[\"y\"], marker=\".\", markersize=3, label=one[\"name\"])";
}

std::string inches(double mm) { return python_value(std::round(mm / mm_per_inch * 100) / 100); }

}  // namespace

std::string matplotlib_script(const ReportPlot& plot, const MatplotlibPage& page) {
  std::string text = "# " + printable(plot.title) + "\nimport matplotlib.pyplot as plt\n\nseries = [\n";
  for (const PlotSeries& series : plot.series) text += series_text(series);
  text += "]\n\nplt.rcParams.update({\"font.size\": " + python_value(page.font_points) +
          ", \"pdf.fonttype\": 42, \"svg.fonttype\": \"none\"})\nfig, ax = plt.subplots(figsize=(" +
          inches(page.width_mm) + ", " + inches(page.height_mm) +
          "), layout=\"constrained\")\nfor one in series:\n    (line,) = " + draw_of(plot.kind) +
          "\n    if \"low\" in one:\n        ax.vlines(one[\"x\"], one[\"low\"], one[\"high\"], "
          "color=line.get_color(), linewidth=0.8)\n";
  if (plot.diagonal) text += "ax.axline((0, 0), slope=1, color=\"gray\", linestyle=\"--\", linewidth=0.8)\n";
  text += "ax.set_xlabel(" + python_value(axis_text(plot.x_label, plot.x_unit)) + ")\nax.set_ylabel(" +
          python_value(axis_text(plot.y_label, plot.y_unit)) + ")\n";
  if (plot.series.size() > 1) text += "ax.legend()\n";
  return text + "plt.show()\n";
}

}  // namespace kvantage::inline formats
