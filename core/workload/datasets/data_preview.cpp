#include "core/workload/datasets/data_preview.h"

#include "core/base/shown_text.h"
#include "core/workload/datasets/field_path.h"

namespace kvantage::inline datasets {

Expected<DataPreview> preview_data(const std::filesystem::path& file, const ReadRows& read_rows) {
  constexpr std::size_t shown_bytes = 300;
  KV_ASSIGN(const auto documents, read_documents(file, read_rows));
  const std::vector<DataEntry> entries = entries_of(documents);
  if (entries.empty() || !entries.front().json->is_object())
    return fail(ErrorCode::rejected_input,
                file.string() + ": holds no object with fields; give objects with a context and a question");
  const auto format = import_format_of("auto", documents.front(), {});
  DataPreview preview{.format = std::string(format ? (*format)->name : import_formats().back().name),
                      .entries = entries.size(),
                      .first = {},
                      .map = {}};
  const Json& first = *entries.front().json;
  for (const std::string& path : field_paths(first)) {
    std::string text;
    for (const Json* value : values_at(first, path).values) {
      if (text.size() > shown_bytes) break;
      text +=
          (text.empty() ? "" : " | ") + (value->is_string() ? value->get_ref<const std::string&>() : dump_json(*value));
    }
    preview.first.emplace_back(path, shown_line(shortened(text, shown_bytes)));
  }
  preview.map = guessed_map(first);
  return preview;
}

}  // namespace kvantage::inline datasets
