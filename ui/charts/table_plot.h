// The table behind a chart as a plot, for what is drawn elsewhere: pgfplots and matplotlib.
#pragma once

#include <QString>

#include "core/report/report_sections.h"
#include "ui/charts/chart_table.h"

namespace kvantage {

/// A line for each drawn column and each combination of the texts that distinguish rows (policy, tier, line). Without
/// PlotColumns the first column of numbers is x and all others are drawn. NAME_low and NAME_high, also with _95, are
/// the interval of NAME, and low_95 and high_95 that of the only drawn column. No series: the table has no two columns
/// of numbers.
ReportPlot plot_of(const ChartTable& table, const QString& title);

/// A tikzpicture for a document that loads pgfplots; a comment where there is nothing to draw.
QString to_pgfplots(const ChartTable& table, const QString& title);
/// A Python script with the data inside; a comment where there is nothing to draw.
QString to_matplotlib(const ChartTable& table, const QString& title);

}  // namespace kvantage
