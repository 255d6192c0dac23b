// The plots of figures as files for a paper, written by the command line. No header of Qt: that is for a program
// without a window.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/report/figure.h"

namespace kvantage {

struct FigurePictures {
  std::filesystem::path file;  // its ending, svg, pdf or png, is the format
  bool page_wide = false;      // 178 mm instead of a column's 85
};

/// Writes every plot of the results, in their order: `file`, or file-1, file-2, ... where there are several. Returns
/// what was written. A program without a QApplication has one of its own meanwhile, offscreen; call it in the main
/// thread. usage for another ending or where nothing is plotted; io where a file cannot be written or the machine has
/// no font.
Expected<std::vector<std::filesystem::path>> write_figure_pictures(const std::vector<FigureResult>& results,
                                                                   const FigurePictures& asked);

/// Whether a picture can have this ending.
bool is_picture_file(const std::filesystem::path& file);

}  // namespace kvantage
