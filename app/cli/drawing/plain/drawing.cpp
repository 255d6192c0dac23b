#include "app/cli/base/drawing.h"

namespace kvantage::cli {

ReportDrawing report_drawing() { return {}; }

const char* default_report_formats() { return "json"; }

Status check_pictures(const FigurePictures& asked) {
  return fail(ErrorCode::usage, printable(asked.file.string()) +
                                    ": this build has no window and so draws no pictures; use --json, or a build with "
                                    "the window");
}

Expected<std::vector<WrittenPicture>> draw_pictures(const std::vector<FigureResult>&, const FigurePictures& asked) {
  KV_TRY(check_pictures(asked));
  return std::vector<WrittenPicture>{};
}

DrawFigure figure_drawing() { return {}; }

}  // namespace kvantage::cli
