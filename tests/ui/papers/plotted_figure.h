// A kept result with a table for each kind of plot, and one without.
#pragma once

#include "core/experiments/paper_figures.h"
#include "ui/papers/model/figure_results.h"

namespace kvantage {

inline KeptFigure kept_figure() {
  using Kind = FigurePlot::Kind;
  const std::vector<std::string> columns{"policy", "rate 1/s", "TTFT s"};
  const std::vector<std::vector<Json>> rows{{"lru", 4.0, 0.25}, {"evicpress", 4.0, 0.125}, {"evicpress", 8.0, 0.5}};
  FigureResult result = begin_figure("evicpress/fig8", Provenance::throttled);
  result.tables = {
      {"Bars", columns, rows, FigurePlot{.kind = Kind::bars, .x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy"}}},
      {"Points", columns, rows, FigurePlot{.kind = Kind::scatter, .x = "rate 1/s", .y = {"TTFT s"}}},
      {"Cells", columns, rows, FigurePlot{.kind = Kind::heat_map, .x = "rate 1/s", .y = {"policy", "TTFT s"}}},
      {"Shares", columns, rows, FigurePlot{.kind = Kind::cdf, .x = "TTFT s", .y = {}}},
      {"Numbers", columns, rows},
      {"Lines", columns, rows, FigurePlot{.kind = Kind::lines, .x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy"}}}};
  result.findings = {"evicpress sustains 2 times the rate of the best other"};
  return {"one.json", QDateTime::currentDateTimeUtc(), 12, {}, result};
}

}  // namespace kvantage
