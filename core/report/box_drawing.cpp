#include "core/report/box_drawing.h"

#include "core/report/chart_shapes.h"
#include "core/report/metric_list.h"
#include "core/report/plot_axes.h"

namespace kvantage::inline report {
namespace {

/// "lru: TTFT (service) median 12.3000 ms, box 10.0000 to 14.0000 ms, whiskers 8.00000 to 20.0000 ms, n = 200".
std::string box_text(const ReportPlot& plot, const std::string& name, const PlotBox& box) {
  const std::string unit = plot.y_unit == "1" ? "" : " " + plot.y_unit;
  const auto range = [&](double from, double to) {
    return metric_text(from, false) + " to " + metric_text(to, false) + unit;
  };
  const Provenance provenance = plot.series.front().provenance;
  return name + ": " + plot.y_label + " median " + metric_text(box.median, false) + unit + ", box " +
         range(box.lower, box.upper) + ", whiskers " + range(box.low, box.high) + ", n = " + std::to_string(box.n) +
         (provenance == Provenance::measured ? "" : std::string(" (") + display_name(provenance) + ")");
}

}  // namespace

Drawing box_drawing(const ReportPlot& plot) {
  if (plot.places.empty() || plot.series.empty()) return {};
  constexpr double left = 190, right = 90, top = 16, row = 30, bottom = 52, half = 9, cap = 5;
  const std::vector<PlotBox> boxes = boxes_of(plot);
  const AxisScale scale = scales_of(plot).y;
  const double foot = top + row * static_cast<double>(boxes.size()), end = chart_width - right;
  const auto x_of = [&](double value) { return left + scale.share(value) * (end - left); };
  const std::string title = axis_text(plot.y_label, plot.y_unit);
  Drawing drawing{chart_width, foot + bottom, title + " by " + plot.x_label, {}};
  std::vector<Shape>& shapes = drawing.shapes;
  for (std::size_t i = 0; i < scale.ticks.size(); ++i) {
    const double x = x_of(scale.ticks[i]);
    shapes.push_back(chart_line(x, top, x, foot));
    shapes.push_back(chart_text(x, foot + 18, scale.label(i), Shape::Anchor::middle));
  }
  shapes.push_back(chart_text((left + end) / 2, foot + 42, title, Shape::Anchor::middle));
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const PlotBox& box = boxes[i];
    const double y = top + row * (static_cast<double>(i) + 0.5);
    const double low = x_of(box.low), lower = x_of(box.lower), upper = x_of(box.upper), high = x_of(box.high);
    shapes.push_back(
        chart_text(left - 8, y + 4, chart_text_within(plot.places[i].name, left - 16), Shape::Anchor::end));
    shapes.push_back(chart_line(low, y, lower, y, 0));
    shapes.push_back(chart_line(upper, y, high, y, 0));
    for (const double x : {low, high}) shapes.push_back(chart_line(x, y - cap, x, y + cap, 0));
    Shape area{.kind = Shape::Kind::polygon,
               .places = {{lower, y - half}, {upper, y - half}, {upper, y + half}, {lower, y + half}},
               .series = 0,
               .text = box_text(plot, plot.places[i].name, box)};
    area.pale = true;
    shapes.push_back(std::move(area));
    for (const double side : {y - half, y + half}) shapes.push_back(chart_line(lower, side, upper, side, 0));
    for (const double end_of_box : {lower, upper})
      shapes.push_back(chart_line(end_of_box, y - half, end_of_box, y + half, 0));
    shapes.push_back(chart_line(x_of(box.median), y - half, x_of(box.median), y + half, 0));
    shapes.push_back(chart_text(high + 8, y + 4, plot.places[i].total, Shape::Anchor::start));
  }
  return drawing;
}

}  // namespace kvantage::inline report
