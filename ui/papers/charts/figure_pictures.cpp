#include "ui/papers/charts/figure_pictures.h"

#include <QFontInfo>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "ui/papers/charts/paper_picture.h"
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

/// `own` is as of need_application().
Status prepare_drawing(const FigurePictures& asked, std::optional<OffscreenApplication>& own) {
  const std::string named = printable(asked.file.string());
  if (std::ranges::find(endings, asked.file.extension().native()) == endings.end())
    return fail(ErrorCode::usage, named + ": unsupported picture format; use .svg, .pdf or .png");
  KV_TRY(need_application(own, named));
  if (QFontInfo(page_font({})).family().isEmpty())
    return fail(ErrorCode::io,
                named + ": this machine has no font to set text in; install one, such as fonts-dejavu-core");
  return {};
}

std::string model_of(const FigureResult& result) {
  const auto found = result.settings.find("model name");
  return found != result.settings.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Status check_figure_pictures(const FigurePictures& asked) {
  std::optional<OffscreenApplication> own;
  return prepare_drawing(asked, own);
}

Expected<std::vector<WrittenPicture>> write_figure_pictures(const std::vector<FigureResult>& results,
                                                            const FigurePictures& asked) {
  std::optional<OffscreenApplication> own;
  KV_TRY(prepare_drawing(asked, own));
  std::vector<std::pair<const FigureResult*, std::size_t>> plots;
  for (const FigureResult& result : results)
    for (std::size_t t = 0; t < result.tables.size(); ++t)
      if (result.tables[t].plot && !result.tables[t].rows.empty()) plots.emplace_back(&result, t);
  if (plots.empty())
    return fail(ErrorCode::usage,
                printable(asked.file.string()) + ": the figure has no plot; its tables are in the output");
  const QString kind = QString::fromStdString(asked.file.extension().string().substr(1));
  const PaperWidth width = asked.page_wide ? PaperWidth::two_columns : PaperWidth::one_column;
  std::vector<WrittenPicture> written;
  written.reserve(plots.size());
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const auto& [result, table] = plots[i];
    std::filesystem::path file = plots.size() == 1 ? asked.file : numbered(asked.file, i + 1);
    if (!save_paper_picture(*result, table, width, kind, QString::fromStdString(file.string())))
      return fail(ErrorCode::io, printable(file.string()) + ": cannot be written; check its folder and the disk");
    written.push_back({std::move(file), model_of(*result), result->tables[table].title});
  }
  return written;
}

Status write_figure_picture(const FigureResult& result, std::size_t table, const std::filesystem::path& file) {
  std::optional<OffscreenApplication> own;
  KV_TRY(prepare_drawing({.file = file, .page_wide = true}, own));
  if (!save_paper_picture(result, table, PaperWidth::two_columns, QStringLiteral("svg"),
                          QString::fromStdString(file.string())))
    return fail(ErrorCode::io, printable(file.string()) + ": cannot be written; check its folder and the disk");
  return {};
}

}  // namespace kvantage
