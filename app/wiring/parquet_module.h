// Finds and loads the module that writes Parquet files. Without it everything else works: only a request for Parquet is
// refused, with a one-line reason.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/column_table.h"

namespace kvantage::inline wiring {

/// Candidate paths of the module, first match wins: only KVANTAGE_PARQUET_MODULE if set, else libkvantage_parquet.so
/// next to the program and in the install library folders.
std::vector<std::filesystem::path> parquet_module_places();

/// Loads it, with libarrow, once per process. usage: no module, or one of another build; rejected_input: a file that is
/// no module. What it returns makes a Parquet file of a table, in any thread: io with the module's reason.
Expected<EncodeTable> open_parquet_module(const std::vector<std::filesystem::path>& places = parquet_module_places());

/// Loads it when it is first used: starting a window does not wait for libarrow. Null where there is no module.
EncodeTable parquet_on_demand();

}  // namespace kvantage::inline wiring
