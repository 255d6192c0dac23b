#include "ui/report/chart_series.h"

#include <algorithm>
#include <array>

#include "core/report/drawing.h"
#include "core/report/plot_drawing.h"
#include "core/report/table.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {
namespace {

constexpr std::size_t gray = 6;  // of series_colors: what stands aside of the series

QColor color_at(std::size_t index) { return QColor::fromRgb(series_colors[index % series_colors.size()].light); }

}  // namespace

std::vector<SeriesLook> looks_of(const ReportPlot& plot) {
  using Shape = SeriesLook::Shape;
  constexpr std::array shapes{Shape::circle, Shape::square, Shape::diamond, Shape::triangle};
  const bool bars = plot.kind == ReportPlot::Kind::bars;
  const bool line = plot.kind == ReportPlot::Kind::curves || plot.kind == ReportPlot::Kind::steps;
  std::vector<SeriesLook> looks;
  std::size_t next = 0;
  for (const PlotSeries& series : plot.series) {
    if (!series.aside) {
      if (next % series_colors.size() == gray) ++next;
      // Where colors begin again, each has another shape.
      const Shape shape = shapes[(next + next / series_colors.size()) % shapes.size()];
      looks.push_back({color_at(next), bars ? Shape::bar : shape, line, false});
      ++next;
      continue;
    }
    // A running mean has the color of what it is the mean of.
    QColor color = color_at(gray);
    for (std::size_t i = 0; i < looks.size(); ++i)
      if (!plot.series[i].aside && series.name.starts_with(plot.series[i].name)) color = looks[i].color;
    looks.push_back({color, Shape::none, true, true});
  }
  return looks;
}

std::vector<LegendEntry> legend_of(const PageChart& chart) {
  const ReportPlot& plot = chart.plot;
  const std::vector<SeriesLook> looks = looks_of(plot);
  std::vector<LegendEntry> entries;
  const auto lettered = [&](std::size_t i, const QString& name) {
    const QString letter = i < chart.letters.size() ? page_line(chart.letters[i]) : QString();
    if (letter.isEmpty()) return name;
    return chart.names ? letter + QLatin1Char(' ') + name : letter;
  };
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    QString name = page_line(series.shown());
    if (plot.kind == ReportPlot::Kind::means) {  // its shape is that of the run
      const Provenance weaker = std::max(series.provenance, series.x_provenance.value_or(series.provenance));
      name = lettered(i, name) + QString::fromLatin1(mark_of(weaker));
    }
    entries.push_back({looks[i], name});
  }
  for (std::size_t i = 0; i < plot.places.size(); ++i)
    entries.push_back({{}, lettered(i, page_line(plot.places[i].name)), false});
  return entries;
}

QString axis_title(const std::string& label, const std::string& unit) { return page_line(axis_text(label, unit)); }

}  // namespace kvantage::inline report_pages
