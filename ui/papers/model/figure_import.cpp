#include "ui/papers/model/figure_import.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <vector>

#include "core/base/files.h"
#include "core/experiments/paper_figures.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct FigureImportText {
  Q_DECLARE_TR_FUNCTIONS(FigureImportText)
};

constexpr qint64 max_file_bytes = qint64{64} << 20;
constexpr int max_files = 1000;

tl::unexpected<Error> reject(const QString& path, const QString& why) {
  return fail(ErrorCode::rejected_input, from_q(QStringLiteral("%1: %2").arg(path, why)));
}

/// The JSON files of a folder and of the folders in it.
Expected<QStringList> files_of(const QString& folder) {
  QStringList files;
  QStringList folders{folder};
  for (const QFileInfo& one : QDir(folder).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks))
    folders << one.filePath();
  for (const QString& one : folders)
    for (const QFileInfo& file : QDir(one).entryInfoList({QStringLiteral("*.json")}, QDir::Files | QDir::NoSymLinks)) {
      files << file.filePath();
      if (files.size() > max_files)
        return reject(
            folder,
            FigureImportText::tr("has more than %1 JSON files. Choose the folder of reproduce all.").arg(max_files));
    }
  return files;
}

Expected<std::vector<KeptFigure>> read(const QString& path) {
  const QFileInfo about(path);
  if (about.size() > max_file_bytes)
    return reject(path, FigureImportText::tr("is larger than 64 MiB, so it is no result of a figure."));
  KV_ASSIGN(const auto text, read_text_file(from_q(path)));
  KV_ASSIGN(auto results, figure_results_of(text, from_q(about.fileName())));
  std::vector<KeptFigure> kept;
  kept.reserve(results.size());
  for (FigureResult& result : results) {
    result.figure = current_figure_id(result.figure);
    kept.push_back({{}, about.lastModified().toUTC(), 0, {}, std::move(result)});
  }
  return kept;
}

}  // namespace

Expected<std::size_t> import_figures(FigureResults& results, const QString& path) {
  const bool folder = QFileInfo(path).isDir();
  QStringList files{path};
  if (folder) {
    KV_ASSIGN(files, files_of(path));
  }
  std::vector<KeptFigure> all;
  for (const QString& file : files) {
    auto kept = read(file);
    if (!kept) {
      if (!folder) return tl::unexpected(kept.error());
      continue;  // settings, a workload: not everything there is a result
    }
    for (KeptFigure& one : *kept)
      if (find_paper_figure(one.result.figure) != nullptr) all.push_back(std::move(one));
  }
  if (all.empty())
    return reject(path, FigureImportText::tr("has no result of a figure. Choose the folder that reproduce all --out "
                                             "wrote, or a file of reproduce --json."));
  for (KeptFigure& one : all) results.keep(std::move(one));
  return all.size();
}

}  // namespace kvantage
