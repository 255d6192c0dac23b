// The results of an experiment as a figure: its measured points, quality against TTFT, with intervals, by policy, and
// lines along each number that its cells differ in, with the range over seeds. So the charts and the pictures for
// papers are those of the papers' figures.
#pragma once

#include <QString>

#include "core/report/figure.h"
#include "core/sweep/sweep_table.h"

namespace kvantage {

/// Tables: the measured rows with a scatter plot; TTFT and quality along α, the budget and the rate as lines, of those
/// that cells differ in; and the failed cells where there are any. Without rows the first table is empty and there are
/// no lines.
FigureResult experiment_figure(const QString& name, const SweepTable& table);
/// Leading columns of its measured rows that name a row: policy and settings.
std::size_t experiment_row_keys(const FigureTable& measured);

}  // namespace kvantage
