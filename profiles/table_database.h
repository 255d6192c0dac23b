// Tables with typed columns as one SQLite file, for other programs: sqlite3, DuckDB, pandas.
#pragma once

#include <filesystem>
#include <span>

#include "core/base/column_table.h"

namespace kvantage::inline profiles {

/// Replaces the file at once, so that a reader never sees half of it. Each table has its own name, a column of the same
/// name per column (INTEGER, REAL, TEXT; flags are 0 or 1), and a row per row. Two more tables say what they hold:
/// `columns` (table_name, column_name, type, unit) and `facts` (table_name, key, value). Errors as write_text_file(),
/// and as of a database that is made in the folder for temporary files.
Status write_table_database(const std::filesystem::path& file, std::span<const ColumnTable> tables);

}  // namespace kvantage::inline profiles
