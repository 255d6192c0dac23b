// What the command line draws: by Qt's window libraries (app/cli/drawing/window), or nothing in a build without them
// (app/cli/drawing/plain).
#pragma once

#include <vector>

#include "core/base/error.h"
#include "core/experiments/figures/reproduction.h"
#include "core/report/figure_pictures.h"
#include "core/report/formats/report_files.h"

namespace kvantage::cli {

/// Empty in a build without a window.
ReportDrawing report_drawing();
/// The formats of a report that is written unasked: "html,json", or "json" where nothing is drawn.
const char* default_report_formats();

/// Those of ui/papers/charts/figure_pictures.h; usage in a build without a window.
Status check_pictures(const FigurePictures& asked);
Expected<std::vector<WrittenPicture>> draw_pictures(const std::vector<FigureResult>& results,
                                                    const FigurePictures& asked);
/// Of `reproduce all`; empty in a build without a window.
DrawFigure figure_drawing();

}  // namespace kvantage::cli
