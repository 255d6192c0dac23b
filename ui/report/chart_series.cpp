#include "ui/report/chart_series.h"

#include <algorithm>
#include <array>

#include "core/report/series_colors.h"
#include "core/report/table.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {
namespace {

QColor color_of(int number) {
  return QColor::fromRgb(series_colors[static_cast<std::size_t>(number) % series_colors.size()].light);
}

/// Where colors begin again, each has another shape.
SeriesLook::Shape shape_of(int number) {
  using Shape = SeriesLook::Shape;
  constexpr std::array shapes{Shape::circle, Shape::square, Shape::diamond, Shape::triangle};
  const auto at = static_cast<std::size_t>(number);
  return shapes[(at + at / series_colors.size()) % shapes.size()];
}

bool has_bars(const ReportPlot& plot) {
  return plot.kind == ReportPlot::Kind::bars || plot.kind == ReportPlot::Kind::histogram;
}

}  // namespace

std::vector<SeriesLook> looks_of(const ReportPlot& plot) {
  if (plot.kind == ReportPlot::Kind::boxes)
    return std::vector<SeriesLook>(plot.series.size(), {color_of(0), SeriesLook::Shape::bar});
  const bool line = plot.kind == ReportPlot::Kind::curves || plot.kind == ReportPlot::Kind::steps;
  const std::vector<int> numbers = series_numbers(plot);
  std::vector<SeriesLook> looks;
  looks.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const QColor color = color_of(numbers[i]);
    if (plot.series[i].aside)
      looks.push_back({color, SeriesLook::Shape::none, true, true});
    else
      looks.push_back({color, has_bars(plot) ? SeriesLook::Shape::bar : shape_of(numbers[i]), line, false});
  }
  return looks;
}

std::vector<LegendEntry> legend_of(const PageChart& chart) {
  using Kind = ReportPlot::Kind;
  const ReportPlot& plot = chart.plot;
  const std::vector<SeriesLook> looks = looks_of(plot);
  std::vector<LegendEntry> entries;
  const auto lettered = [&](std::size_t i, const QString& name) {
    const QString letter = i < chart.letters.size() ? page_line(chart.letters[i]) : QString();
    if (letter.isEmpty()) return name;
    return chart.names ? letter + QLatin1Char(' ') + name : letter;
  };
  for (std::size_t i = 0; plot.kind != Kind::boxes && i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    QString name = page_line(series.shown());
    if (plot.kind == Kind::means || plot.kind == Kind::histogram) {  // its look is that of the run
      const Provenance weaker = std::max(series.provenance, series.x_provenance.value_or(series.provenance));
      name = lettered(i, name) + QString::fromLatin1(mark_of(weaker));
    }
    entries.push_back({looks[i], name});
  }
  for (std::size_t i = 0; i < plot.places.size(); ++i) {
    const PlotPlace& place = plot.places[i];  // totals of bars are beside them
    const bool total = plot.kind == Kind::boxes && !place.total.empty();
    entries.push_back({{}, lettered(i, page_line(total ? place.name + ", " + place.total : place.name)), false});
  }
  return entries;
}

QString axis_title(const std::string& label, const std::string& unit, const AxisScale& scale) {
  return page_line(axis_text(label, unit) + scale_text(scale));
}

}  // namespace kvantage::inline report_pages
