#include "ui/papers/charts/figure_charts.h"

#include <algorithm>
#include <array>

#include "ui/papers/charts/figure_bars_chart.h"
#include "ui/papers/charts/figure_heat_map.h"
#include "ui/papers/charts/figure_scatter_chart.h"

namespace kvantage {
namespace {

template <class Chart>
FigureChart* make_chart(QWidget* parent) {
  return new Chart(parent);
}

struct ChartOfKind {
  FigurePlot::Kind kind;
  MakeFigureChart make;
};
constexpr std::array charts_of_kinds{ChartOfKind{FigurePlot::Kind::lines, &make_chart<SeriesChart>},
                                     ChartOfKind{FigurePlot::Kind::cdf, &make_chart<SeriesChart>},
                                     ChartOfKind{FigurePlot::Kind::scatter, &make_chart<FigureScatterChart>},
                                     ChartOfKind{FigurePlot::Kind::bars, &make_chart<FigureBarsChart>},
                                     ChartOfKind{FigurePlot::Kind::histogram, &make_chart<FigureBarsChart>},
                                     ChartOfKind{FigurePlot::Kind::heat_map, &make_chart<FigureHeatMap>},
                                     ChartOfKind{FigurePlot::Kind::spans, &make_chart<TimeLineChart>}};

}  // namespace

MakeFigureChart figure_chart_of(FigurePlot::Kind kind) {
  return std::ranges::find(charts_of_kinds, kind, &ChartOfKind::kind)->make;
}

FigureCharts::FigureCharts(QWidget* parent)
    : QStackedWidget(parent), series_(nullptr), time_line_(nullptr), theme_(theme_of(ThemeKind::light)) {
  series_ = static_cast<SeriesChart*>(chart_of(FigurePlot::Kind::lines));
  time_line_ = static_cast<TimeLineChart*>(chart_of(FigurePlot::Kind::spans));
}

FigureChart* FigureCharts::chart_of(FigurePlot::Kind kind) {
  const MakeFigureChart make = figure_chart_of(kind);
  const auto known = std::ranges::find(charts_, make, &std::pair<MakeFigureChart, FigureChart*>::first);
  if (known != charts_.end()) return known->second;
  FigureChart* chart = make(this);
  chart->set_theme(theme_);
  addWidget(chart);
  charts_.emplace_back(make, chart);
  return chart;
}

void FigureCharts::show_table(const FigureResult* result, std::size_t table) {
  FigureResult nothing;
  nothing.tables.resize(1);
  const bool drawn = result != nullptr && table < result->tables.size() && result->tables[table].plot;
  FigureChart* chosen = drawn ? chart_of(result->tables[table].plot->kind) : series_;
  for (const auto& [make, chart] : charts_)
    if (drawn && chart == chosen)
      chart->show_table(*result, table);
    else
      chart->show_table(nothing, 0);
  setCurrentWidget(chosen);
}

void FigureCharts::set_theme(const Theme& theme) {
  theme_ = theme;
  for (const auto& [make, chart] : charts_) chart->set_theme(theme);
}

}  // namespace kvantage
