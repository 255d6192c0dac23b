#include "core/experiments/studies/cell_store.h"

#include <system_error>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/folders.h"

namespace kvantage::inline studies {

Json FolderCells::whole(const Json& key) const { return {{"of", of_}, {"cell", key}}; }

std::filesystem::path FolderCells::file_of(const Json& whole_key) const {
  return folder_ / (digest_of(dump_json(whole_key)).hex() + ".json");
}

std::optional<Json> FolderCells::find(const Json& key) const {
  const Json wanted = whole(key);
  const std::filesystem::path file = file_of(wanted);
  if (!is_there(file)) return std::nullopt;
  const auto kept = read_json_file(file);
  if (!kept || !kept->is_object() || kept->value("key", Json()) != wanted || !kept->contains("value"))
    return std::nullopt;
  return kept->at("value");
}

Status FolderCells::keep(const Json& key, const Json& value) {
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  if (failed)
    return fail(ErrorCode::rejected_input,
                printable(folder_.string()) + ": " + failed.message() + "; make the folder writable");
  const Json wanted = whole(key);
  return write_text_file(file_of(wanted), dump_json(Json{{"key", wanted}, {"value", value}}) + "\n");
}

bool FolderCells::empty() const { return !is_there(folder_); }

void FolderCells::remove() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace kvantage::inline studies
