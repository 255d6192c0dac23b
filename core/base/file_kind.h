// What a file is by its first bytes, where that is nothing that a reader of texts, tables or traces takes: pointers of
// Git LFS, archives, web pages, databases, pictures, pickles. A refusal that names it is worth more than one that says
// which byte was not expected.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

struct FileKind {
  std::string_view name;    // "a Git LFS pointer, not the data"
  std::string_view remedy;  // "fetch the data with git lfs pull"
};

/// Of the beginning of a file, as much as foreign_kind() looks at.
inline constexpr std::size_t file_kind_bytes = 512;

/// Null: none that is known, so it may be text. `head`: the first file_kind_bytes of the file, or all of it.
const FileKind* foreign_kind(std::string_view head);
bool is_parquet(std::string_view head);

/// "NAME: is a SQLite database; export the table as CSV" as rejected_input.
tl::unexpected<Error> foreign_file(const std::string& name, const FileKind& kind);
/// The same where `text` begins with the mark of UTF-16.
Status check_not_utf16(std::string_view text, const std::string& name);
/// The first file_kind_bytes of a file. rejected_input as open_regular_file().
Expected<std::string> head_of_file(const std::filesystem::path& path);

}  // namespace kvantage
