#include "ui/charts/figures/figure_pictures.h"

#include <QFontInfo>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "ui/charts/figures/paper_picture.h"
#include "ui/report/offscreen_application.h"
#include "ui/report/page_text.h"

namespace kvantage {
namespace {

constexpr std::array<std::string_view, 3> endings{".svg", ".pdf", ".png"};

/// "plot.svg" as "plot-2.svg".
std::filesystem::path numbered(const std::filesystem::path& file, std::size_t number) {
  std::filesystem::path name = file.stem();
  name += "-" + std::to_string(number);
  name += file.extension();
  return file.parent_path() / name;
}

}  // namespace

bool is_picture_file(const std::filesystem::path& file) {
  return std::ranges::find(endings, file.extension().native()) != endings.end();
}

Expected<std::vector<std::filesystem::path>> write_figure_pictures(const std::vector<FigureResult>& results,
                                                                   const FigurePictures& asked) {
  const std::string named = printable(asked.file.string());
  if (!is_picture_file(asked.file))
    return fail(ErrorCode::usage, named + ": no format of pictures; let its name end with .svg, .pdf or .png");
  std::vector<std::pair<const FigureResult*, std::size_t>> plots;
  for (const FigureResult& result : results)
    for (std::size_t t = 0; t < result.tables.size(); ++t)
      if (result.tables[t].plot && !result.tables[t].rows.empty()) plots.emplace_back(&result, t);
  if (plots.empty()) return fail(ErrorCode::usage, named + ": the figure has no plot; its tables are in the output");
  std::optional<OffscreenApplication> own;
  KV_TRY(need_application(own, named));
  if (QFontInfo(page_font({})).family().isEmpty())
    return fail(ErrorCode::io,
                named + ": this machine has no font to set text in; install one, such as fonts-dejavu-core");
  const QString kind = QString::fromStdString(asked.file.extension().string().substr(1));
  const PaperWidth width = asked.page_wide ? PaperWidth::two_columns : PaperWidth::one_column;
  std::vector<std::filesystem::path> written;
  written.reserve(plots.size());
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const auto& [result, table] = plots[i];
    std::filesystem::path file = plots.size() == 1 ? asked.file : numbered(asked.file, i + 1);
    if (!save_paper_picture(*result, table, width, kind, QString::fromStdString(file.string())))
      return fail(ErrorCode::io, printable(file.string()) + ": cannot be written; check its folder and the disk");
    written.push_back(std::move(file));
  }
  return written;
}

}  // namespace kvantage
