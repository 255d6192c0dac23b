// A chart as a picture for a paper: one or two columns wide, in the light theme on white and in the text size of 100 %,
// whatever the window shows.
#pragma once

#include <QString>

#include "core/report/figure.h"

namespace kvantage {

class ChartPanel;

enum class PaperWidth { one_column, two_columns };

/// 85 and 178 mm.
double paper_width_mm(PaperWidth width);
/// Dots per inch of a PNG.
inline constexpr double paper_dots_per_inch = 300;

/// Writes the plot of a table as `kind`: "svg" (text stays text), "pdf" (one page, its fonts embedded) or "png". The
/// picture is as high as its legend needs. False: the table has no plot, or the file cannot be written.
bool save_paper_picture(const FigureResult& result, std::size_t table, PaperWidth width, const QString& kind,
                        const QString& path);
/// The same of a chart of the window, with the part of its axes that is shown. The chart is as it was afterwards.
bool save_paper_picture(ChartPanel& chart, PaperWidth width, const QString& kind, const QString& path);

}  // namespace kvantage
