// A chart as a picture for a paper: one or two columns wide, in the light theme on white, and in the font and text size
// of its format, whatever the window shows.
#pragma once

#include <QString>

#include "core/report/figure.h"
#include "ui/papers/charts/paper_format.h"

class QWidget;

namespace kvantage {

/// Dots per inch of a PNG.
inline constexpr double paper_dots_per_inch = 300;

/// Writes the plot of a table as `kind`: "svg" (text stays text), "pdf" (one page, its fonts embedded) or "png". The
/// picture is as high as its legend needs. False: the table has no plot, or the file cannot be written.
bool save_paper_picture(const FigureResult& result, std::size_t table, const PaperFormat& format, const QString& kind,
                        const QString& path);
/// The same of a chart of the window, with the part of its axes that is shown; of a view that paints itself, in its own
/// proportions. It is as it was afterwards.
bool save_paper_picture(QWidget& chart, const PaperFormat& format, const QString& kind, const QString& path);
/// Whether that is possible: a chart, or a view that paints itself with theme colors. No table is.
bool has_paper_picture(const QWidget& picture);

}  // namespace kvantage
