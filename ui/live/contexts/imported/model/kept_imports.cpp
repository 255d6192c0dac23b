#include "ui/live/contexts/imported/model/kept_imports.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "core/base/digest.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct KeptImportsText {
  Q_DECLARE_TR_FUNCTIONS(KeptImportsText)
};

/// The day is that of reading, not of the content.
std::string digest_of_made(ImportedProfile made) {
  made.source.date.clear();
  return digest_of(imported_to_text(made)).hex();
}

std::string kept_text(const Json& json, const char* key) {
  const Json value = json.value(key, Json());
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<KeptImport> one_kept_import(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  KeptImport kept{to_q(kept_text(json, "path")), {}, kept_text(json, "digest")};
  if (kept.path.isEmpty() || kept.digest.empty()) return std::nullopt;
  ForeignOptions& how = kept.how;
  how.dataset = kept_text(json, "dataset");
  how.method = kept_text(json, "method");
  how.model = kept_text(json, "model");
  how.metric = kept_text(json, "metric");
  how.date = kept_text(json, "date");
  if (const Json removed = json.value("removed", Json()); removed.is_number())
    how.removed_fraction = removed.get<double>();
  const Json columns = json.value("columns", Json());
  if (!columns.is_object()) return kept;
  const std::vector<WantedColumn> known = profile_columns();
  for (const auto& [key, column] : columns.items())
    if (column.is_string() && std::ranges::find(known, key, &WantedColumn::key) != known.end())
      how.columns.emplace_back(key, column.get<std::string>());
  return kept;
}

}  // namespace

KeptImport kept_import(const QString& path, const ForeignOptions& how, const ImportedProfile& made) {
  return {QFileInfo(path).absoluteFilePath(), how, digest_of_made(made)};
}

Json to_json(const std::vector<KeptImport>& kept) {
  Json list = Json::array();
  for (const KeptImport& one : kept) {
    Json columns = Json::object();
    for (const auto& [key, column] : one.how.columns) columns[key] = column;
    Json& json = list.emplace_back(Json{{"path", from_q(one.path)},
                                        {"digest", one.digest},
                                        {"dataset", one.how.dataset},
                                        {"method", one.how.method},
                                        {"model", one.how.model},
                                        {"metric", one.how.metric},
                                        {"date", one.how.date},
                                        {"columns", std::move(columns)}});
    if (one.how.removed_fraction) json["removed"] = *one.how.removed_fraction;
  }
  return list;
}

std::vector<KeptImport> kept_imports_from(const Json& json) {
  std::vector<KeptImport> kept;
  if (!json.is_array()) return kept;
  kept.reserve(std::min(json.size(), max_kept_imports));
  for (const Json& one : json) {
    if (kept.size() == max_kept_imports) break;
    if (auto import = one_kept_import(one)) kept.push_back(std::move(*import));
  }
  return kept;
}

ImportReadAgain read_again(const KeptImport& kept) {
  ImportReadAgain again{{}, kept, {}};
  if (!QFileInfo::exists(kept.path)) {
    again.trouble = KeptImportsText::tr("%1, whose curves were imported, is gone; import them from where it is now.")
                        .arg(kept.path);
    return again;
  }
  auto made = read_foreign(from_q(kept.path), kept.how);
  if (!made) {
    again.trouble =
        KeptImportsText::tr("Imported curves cannot be read again: %1").arg(core_text(made.error().message));
    return again;
  }
  again.kept = kept_import(kept.path, kept.how, *made);
  if (again.kept.digest != kept.digest)
    again.trouble = KeptImportsText::tr("%1 has changed since its curves were imported; they are read as they are now.")
                        .arg(kept.path);
  again.profile = std::move(*made);
  return again;
}

}  // namespace kvantage
