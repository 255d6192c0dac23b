// `reproduce FIGURE --picture FILE`: its plots at the widths of a paper.
#include <filesystem>

#include "app/cli/base/drawing.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/reproduce_command.h"
#include "core/base/json.h"

namespace kvantage::cli {
namespace {

FigurePictures pictures_of(const FigureOutput& output) {
  return {.file = output.picture, .page_wide = output.picture_width == "page"};
}

}  // namespace

Status check_picture(const FigureOutput& output) {
  if (output.picture.empty()) return {};
  const std::filesystem::path folder = std::filesystem::path(output.picture).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    return fail(ErrorCode::rejected_input,
                "--picture: " + printable(folder.string()) + ": folder does not exist; create it, or give another");
  const Status status = check_pictures(pictures_of(output));
  if (!status) return fail(status.error().code, "--picture: " + status.error().message);
  return {};
}

Status write_pictures(const std::vector<FigureResult>& results, const FigureOutput& output, bool quiet) {
  KV_ASSIGN(const auto written, draw_pictures(results, pictures_of(output)));
  if (quiet) return {};
  for (const WrittenPicture& one : written) {
    std::string line = "picture: " + one.file.string();
    if (written.size() > 1) line += ": " + (one.model.empty() ? std::string() : one.model + ", ") + one.table;
    stderr_progress().say(line);
  }
  return {};
}

}  // namespace kvantage::cli
