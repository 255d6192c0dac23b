#include "ui/report/chart_marks.h"

#include <QAbstractSeries>
#include <cmath>
#include <utility>

#include "core/report/mark_texts.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {
namespace {

constexpr double half_mark = 4;

/// Of two opposite corners, in coordinates of the axes: a place has its middle at its number.
QRectF box_between(const ChartPicture& picture, const QPointF& one, const QPointF& other) {
  QChart& chart = picture.chart();
  QAbstractSeries* series = chart.series().constFirst();
  return QRectF(chart.mapToPosition(one, series), chart.mapToPosition(other, series)).normalized();
}

void add_points(const ReportPlot& plot, const ChartPicture& picture, std::vector<ChartLabel>& marks) {
  const bool line = plot.kind == ReportPlot::Kind::curves || plot.kind == ReportPlot::Kind::steps;
  const PlotScales& scales = picture.scales();
  for (const PlotSeries& series : plot.series) {
    if (series.aside) continue;
    for (const std::size_t i : marked_points(series.points.size(), line)) {
      const PlotPoint& point = series.points[i];
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      const QPointF place = picture.chart().mapToPosition({scales.x.at(point.x), scales.y.at(point.y)},
                                                          picture.chart().series().constFirst());
      marks.push_back({page_line(point_text(plot, series, point)),
                       QRectF(place - QPointF(half_mark, half_mark), QSizeF(2 * half_mark, 2 * half_mark))});
    }
  }
}

void add_parts(const ReportPlot& plot, const ChartPicture& picture, std::vector<ChartLabel>& marks) {
  std::vector<double> sums(plot.places.size());
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      const auto place = static_cast<std::size_t>(point.x);
      if (place >= sums.size() || !(point.y > 0)) continue;
      const double row = static_cast<double>(sums.size() - 1 - place);  // the first is on top
      const double before = std::exchange(sums[place], sums[place] + point.y);
      marks.push_back(
          {page_line(part_text(plot, series, point)),
           box_between(picture, {before, row - chart_bar_share / 2}, {sums[place], row + chart_bar_share / 2})});
    }
}

void add_boxes(const ReportPlot& plot, const ChartPicture& picture, std::vector<ChartLabel>& marks) {
  const std::vector<PlotBox> boxes = boxes_of(plot);
  const double half = chart_box_share(boxes.size()) / 2;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto middle = static_cast<double>(i);
    marks.push_back({page_line(box_text(plot, i)),
                     box_between(picture, {middle - half, boxes[i].lower}, {middle + half, boxes[i].upper})});
  }
}

// The bars of a bin are side by side.
void add_bins(const ReportPlot& plot, const ChartPicture& picture, std::vector<ChartLabel>& marks) {
  const std::size_t bins = plot.series.front().points.size() - 1;
  const double wide = chart_bin_share / static_cast<double>(plot.series.size());
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    const double from_middle = wide * static_cast<double>(s) - chart_bin_share / 2;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double count = plot.series[s].points[bin].y, left = static_cast<double>(bin) + from_middle;
      if (count > 0)
        marks.push_back(
            {page_line(bin_text(plot, plot.series[s], bin)), box_between(picture, {left, 0}, {left + wide, count})});
    }
  }
}

}  // namespace

std::vector<ChartLabel> chart_marks(const ReportPlot& plot, const ChartPicture& picture) {
  std::vector<ChartLabel> marks;
  if (plot.series.empty()) return marks;
  switch (plot.kind) {
    case ReportPlot::Kind::bars:
      add_parts(plot, picture, marks);
      break;
    case ReportPlot::Kind::boxes:
      add_boxes(plot, picture, marks);
      break;
    case ReportPlot::Kind::histogram:
      add_bins(plot, picture, marks);
      break;
    default:
      add_points(plot, picture, marks);
  }
  return marks;
}

}  // namespace kvantage::inline report_pages
