#include "core/report/plots/figure_drawing.h"

#include "core/report/plots/bar_drawings.h"
#include "core/report/plots/point_drawings.h"

namespace kvantage::inline plots {

Drawing figure_drawing(const FigureTable& table) {
  if (!table.plot) return {};
  switch (table.plot->kind) {
    case FigurePlot::Kind::lines:
    case FigurePlot::Kind::cdf:
      return lines_drawing(table);
    case FigurePlot::Kind::scatter:
      return cloud_drawing(table);
    case FigurePlot::Kind::bars:
      return bars_drawing(table);
    case FigurePlot::Kind::histogram:
      return histogram_drawing(table);
    case FigurePlot::Kind::heat_map:
      return heat_map_drawing(table);
    case FigurePlot::Kind::spans:
      return spans_drawing(table);
  }
  return {};
}

}  // namespace kvantage::inline plots
