#include "app/cli/base/drawing.h"

#include "ui/papers/charts/figure_pictures.h"
#include "ui/report/html_charts.h"
#include "ui/report/pdf_file.h"

namespace kvantage::cli {

ReportDrawing report_drawing() { return {.charts = html_charts, .pdf = write_report_pdf}; }

const char* default_report_formats() { return "html,json"; }

Status check_pictures(const FigurePictures& asked) { return check_figure_pictures(asked); }

Expected<std::vector<WrittenPicture>> draw_pictures(const std::vector<FigureResult>& results,
                                                    const FigurePictures& asked) {
  return write_figure_pictures(results, asked);
}

DrawFigure figure_drawing() { return write_figure_picture; }

}  // namespace kvantage::cli
