#include "ui/papers/model/figure_results.h"

#include <QDir>
#include <algorithm>
#include <set>
#include <utility>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/experiments/paper_figures.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr int file_version = 1;

std::string text_of(const KeptFigure& kept) {
  OrderedJson options = OrderedJson::array();
  for (const auto& [option, value] : kept.options)
    options.push_back({{"option", from_q(option)}, {"value", from_q(value)}});
  return dump_json(OrderedJson{{"kvantage_figure", file_version},
                               {"started", from_q(kept.started.toUTC().toString(Qt::ISODateWithMs))},
                               {"seconds", kept.seconds},
                               {"options", std::move(options)},
                               {"result", to_json(kept.result)}},
                   1) +
         "\n";
}

Expected<KeptFigure> read_kept(const QString& path) {
  const std::string name = from_q(path);
  KV_ASSIGN(const auto json, read_json_file(name));
  KV_ASSIGN(const auto version, json_field<int>(json, "kvantage_figure", name));
  if (version != file_version)
    return fail(ErrorCode::rejected_input,
                name + ": " +
                    from_q(FigureResults::tr("has version %1, but this program reads version %2; "
                                             "open it with the program that saved it")
                               .arg(version)
                               .arg(file_version)));
  KeptFigure kept;
  KV_ASSIGN(const auto started, json_field<std::string>(json, "started", name));
  kept.started = QDateTime::fromString(to_q(started), Qt::ISODateWithMs);
  KV_ASSIGN(const auto seconds, json_field<double>(json, "seconds", name));
  kept.seconds = seconds;
  KV_ASSIGN(const auto options, json_field<std::vector<Json>>(json, "options", name));
  for (const Json& one : options) {
    KV_ASSIGN(const auto option, json_field<std::string>(one, "option", name));
    KV_ASSIGN(const auto value, json_field<std::string>(one, "value", name));
    kept.options.emplace_back(to_q(std::string(present_figure_option(option))), to_q(value));
  }
  KV_ASSIGN(const auto result, json_field<Json>(json, "result", name));
  KV_ASSIGN(auto figure, figure_result_from_json(result, name));
  kept.result = std::move(figure);
  kept.result.figure = current_figure_id(kept.result.figure);  // of an earlier version
  return kept;
}

}  // namespace

FigureResults::FigureResults(QString folder, QObject* parent) : QObject(parent), folder_(std::move(folder)) {}

void FigureResults::load() {
  if (std::exchange(loaded_, true) || folder_.isEmpty()) return;
  const QDir folder(folder_);
  for (const QString& file : folder.entryList({QStringLiteral("*.json")}, QDir::Files)) {
    auto kept = read_kept(folder.filePath(file));
    if (!kept) {
      emit failed(core_text(kept.error().message));
      continue;
    }
    kept->file = file;
    kept_.push_back(std::move(*kept));
  }
  std::ranges::stable_sort(kept_, {}, &KeptFigure::started);
  std::set<QString> figures;
  for (const KeptFigure& kept : kept_) figures.insert(to_q(kept.result.figure));
  for (const QString& figure : figures) emit changed(figure);
}

std::vector<const KeptFigure*> FigureResults::of(const QString& figure) const {
  std::vector<const KeptFigure*> found;
  for (auto at = kept_.rbegin(); at != kept_.rend(); ++at)
    if (to_q(at->result.figure) == figure) found.push_back(&*at);
  return found;
}

const KeptFigure* FigureResults::newest(const QString& figure) const {
  const auto found = of(figure);
  return found.empty() ? nullptr : found.front();
}

const KeptFigure* FigureResults::find(const QString& file) const {
  const auto found = std::ranges::find(kept_, file, &KeptFigure::file);
  return found == kept_.end() ? nullptr : &*found;
}

void FigureResults::keep(KeptFigure made) {
  load();
  const QString figure = to_q(made.result.figure);
  const QString stem =
      QString(figure).replace('/', '-') + made.started.toUTC().toString(QStringLiteral("-yyyyMMdd'T'HHmmss'Z'"));
  made.file = stem + QStringLiteral(".json");
  for (int number = 2; find(made.file); ++number) made.file = stem + QStringLiteral("-%1.json").arg(number);
  if (!folder_.isEmpty()) {
    (void)make_private_folders(from_q(folder_));  // the writing says what is wrong
    if (const Status written = write_text_file(from_q(QDir(folder_).filePath(made.file)), text_of(made)); !written)
      emit failed(tr("The result cannot be saved and is lost when the window closes: %1")
                      .arg(core_text(written.error().message)));
  }
  kept_.push_back(std::move(made));
  emit changed(figure);
}

void FigureResults::remove(const QString& file) {
  const auto found = std::ranges::find(kept_, file, &KeptFigure::file);
  if (found == kept_.end()) return;
  const QString path = QDir(folder_).filePath(file), figure = to_q(found->result.figure);
  if (!folder_.isEmpty() && QFile::exists(path) && !QFile::remove(path)) {
    emit failed(tr("%1 cannot be deleted. Check that you may write to its folder.").arg(path));
    return;
  }
  kept_.erase(found);
  emit changed(figure);
}

}  // namespace kvantage
