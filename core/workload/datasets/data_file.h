// Files of data sets as JSON values, whatever they are written in: JSON, JSON lines, CSV or TSV with a header, Parquet.
// What a file is follows from its content. Memory is bounded: by the size of a file, and by what its values take.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace kvantage::inline datasets {

/// One JSON value of a file: the whole of a .json, a line of a .jsonl, a row of a table with its fields by column.
struct ImportDocument {
  Json json;
  std::string where;  // "file", "file:line" or "file, row 3", first in messages
};

/// The rows of a Parquet file as JSON objects, one after the other; ends with the error of `take_row` where that fails.
using ReadRows = std::function<Status(const std::filesystem::path& file,
                                      const std::function<Status(std::string_view json)>& take_row)>;

/// The JSON values of a file, at least one. rejected_input: more than 256 MiB, another kind of file (by name, with what
/// to do about it), or Parquet without `read_rows`.
Expected<std::vector<ImportDocument>> read_documents(const std::filesystem::path& file, const ReadRows& read_rows = {});

/// Nothing but spaces, tabs and line breaks.
bool is_blank_text(std::string_view text);

/// Rows of a table of text: objects of texts by column (RFC 4180, with line breaks in quotes; the separator that the
/// header has most of: comma, tab, semicolon or bar). rejected_input names the line.
Expected<std::vector<ImportDocument>> csv_documents(std::string_view text, const std::string& name);

}  // namespace kvantage::inline datasets
