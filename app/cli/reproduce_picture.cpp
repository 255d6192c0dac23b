// `reproduce FIGURE --picture FILE`: its plots at the widths of a paper.
#include <filesystem>

#include "app/cli/base/progress_line.h"
#include "app/cli/reproduce_command.h"
#include "core/base/json.h"
#include "ui/charts/figures/figure_pictures.h"

namespace kvantage::cli {

Status check_picture(const FigureOutput& output) {
  if (output.picture.empty()) return {};
  const std::filesystem::path file = output.picture;
  if (!is_picture_file(file))
    return fail(ErrorCode::usage, "--picture: " + printable(output.picture) +
                                      ": no format of pictures; let its name end with .svg, .pdf or .png");
  std::error_code ignored;
  if (!file.parent_path().empty() && !std::filesystem::is_directory(file.parent_path(), ignored))
    return fail(ErrorCode::not_found,
                "--picture: " + printable(file.parent_path().string()) + " is no folder; make it, or give another");
  return {};
}

Status write_pictures(const std::vector<FigureResult>& results, const FigureOutput& output, bool quiet) {
  KV_ASSIGN(const auto written,
            write_figure_pictures(results, {.file = output.picture, .page_wide = output.picture_width == "page"}));
  if (!quiet)
    for (const std::filesystem::path& file : written) stderr_progress().say("picture: " + file.string());
  return {};
}

}  // namespace kvantage::cli
