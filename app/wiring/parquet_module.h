// Finds and loads the module that writes and reads Parquet files. Without it everything else works: only a request for
// Parquet is refused, with a one-line reason.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/column_table.h"
#include "core/workload/datasets/data_file.h"

namespace kvantage::inline wiring {

/// Candidate paths of the module, first match wins: only KVANTAGE_PARQUET_MODULE if set, else libkvantage_parquet.so
/// next to the program and in the install library folders.
std::vector<std::filesystem::path> parquet_module_places();

/// Loads it, with libarrow, once per process. usage: no module, or one of another build; rejected_input: a file that is
/// no module. What it returns makes a Parquet file of a table, in any thread: io with the module's reason.
Expected<EncodeTable> open_parquet_module(const std::vector<std::filesystem::path>& places = parquet_module_places());

/// What reads the rows of Parquet files with the module. rejected_input with the module's reason for a file that it
/// cannot read; errors as open_parquet_module() where there is none.
Expected<ReadRows> open_parquet_reader(const std::vector<std::filesystem::path>& places = parquet_module_places());
/// Loads it when the first file is read. Null where there is no module.
ReadRows parquet_rows_on_demand();

/// Loads it when it is first used: starting a window does not wait for libarrow. Null where there is no module.
EncodeTable parquet_on_demand();

}  // namespace kvantage::inline wiring
