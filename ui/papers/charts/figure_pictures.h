// The plots of figures as files for a paper, written by the command line. No header of Qt: that is for a program
// without a window.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/report/figure.h"
#include "core/report/figure_pictures.h"

namespace kvantage {

/// What would fail whatever the results are: usage for another ending, io where the machine has no font, internal where
/// the program runs Qt without windows. Writes nothing. Call it in the main thread.
Status check_figure_pictures(const FigurePictures& asked);

/// Writes every plot of the results, in their order: `file`, or file-1, file-2, ... where there are several. Returns
/// what was written. A program without a QApplication has one of its own meanwhile, offscreen; call it in the main
/// thread. Errors of check_figure_pictures(); usage where nothing is plotted; io where a file cannot be written.
Expected<std::vector<WrittenPicture>> write_figure_pictures(const std::vector<FigureResult>& results,
                                                            const FigurePictures& asked);

/// The plot of one table, which has rows, as an SVG file of a page's width. Application and errors as above.
Status write_figure_picture(const FigureResult& result, std::size_t table, const std::filesystem::path& file);

}  // namespace kvantage
