#include "core/workload/datasets/data_file.h"

#include <algorithm>

#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/workload/field_map.h"

namespace kvantage::inline datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t bytes_per_document = 128;  // beside its values

Expected<std::vector<ImportDocument>> parquet_documents(const fs::path& file, const ReadRows& read_rows) {
  if (!read_rows)
    return fail(ErrorCode::rejected_input,
                file.string() +
                    ": is a Parquet file, and there is no module that reads one; './run --parquet' builds "
                    "it, or save the file as JSON lines");
  std::vector<ImportDocument> documents;
  JsonBudget budget;
  const auto take_row = [&](std::string_view row) -> Status {
    std::string where = file.string() + ", row " + std::to_string(documents.size() + 1);
    KV_TRY(budget.take(row, where, bytes_per_document + where.size()));
    KV_ASSIGN(auto json, parse_json(row, where));
    documents.push_back({std::move(json), std::move(where)});
    return {};
  };
  KV_TRY(read_rows(file, take_row));
  if (documents.empty())
    return fail(ErrorCode::rejected_input, file.string() + ": has no rows; give a file of the data set");
  return documents;
}

Expected<std::vector<ImportDocument>> json_lines(std::string_view text, const fs::path& file) {
  std::vector<ImportDocument> documents;
  JsonBudget budget;  // of all lines together
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (is_blank_text(line)) continue;
    std::string where = file.string() + ":" + std::to_string(number);
    KV_TRY(budget.take(line, where, bytes_per_document + where.size()));
    KV_ASSIGN(auto json, parse_json(line, where));
    documents.push_back({std::move(json), std::move(where)});
  }
  return documents;
}

}  // namespace

bool is_blank_text(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

Expected<std::vector<ImportDocument>> read_documents(const fs::path& file, const ReadRows& read_rows) {
  KV_ASSIGN(const auto head, head_of_file(file));
  if (is_parquet(head)) return parquet_documents(file, read_rows);
  if (const FileKind* kind = foreign_kind(head)) return foreign_file(file.string(), *kind);
  KV_ASSIGN(const auto content, read_text_file(file));
  std::string_view text = content;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (is_blank_text(text))
    return fail(ErrorCode::rejected_input, file.string() + ": is empty; give a file of the data set");
  if (text.find('\0') != std::string_view::npos)
    return fail(ErrorCode::rejected_input, file.string() + ": is a binary file; give JSON, JSON lines, CSV or Parquet");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json_like = text[first] == '{' || text[first] == '[';
  const std::string ending = file.extension().string();
  if (!is_json_like && ending != ".json" && ending != ".jsonl") {
    const std::string_view line = text.substr(first, std::min(text.find_first_of("\r\n", first), text.size()) - first);
    if (const std::string_view shape = shape_of_line(line); !shape.empty())
      return fail(ErrorCode::rejected_input,
                  file.string() + ": looks like " + std::string(shape) +
                      "; a workload needs texts: give JSON, CSV, Parquet or, with --format text, a text; a trace is "
                      "for kvantage-cli trace info with --map time=#1,context=#2,bytes=#3");
    return csv_documents(text, file.string());
  }
  // A complete JSON value in the first line, followed by more text, means JSON lines.
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const bool by_lines =
      ending == ".jsonl" || (!is_blank_text(text.substr(line_end)) && Json::accept(text.substr(0, line_end)));
  if (by_lines) return json_lines(text, file);
  std::vector<ImportDocument> documents;
  KV_ASSIGN(auto json, parse_json(text, file.string()));
  documents.push_back({std::move(json), file.string()});
  return documents;
}

}  // namespace kvantage::inline datasets
