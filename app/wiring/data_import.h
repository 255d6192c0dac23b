// Imports a file of a data set for the window: into a folder of the cache, named after the file and its content.
#pragma once

#include <filesystem>

#include "core/workload/datasets/data_preview.h"

namespace kvantage::inline wiring {

/// As preview_data(), with the module for Parquet where there is one.
Expected<DataPreview> preview_data_file(const std::filesystem::path& file);

/// The folder of the workload. Contexts that the model cannot serve are treated by `action`; contexts without questions
/// get probes. Errors as import_workload(), of the model, and of writing.
Expected<std::filesystem::path> import_data_file(const std::filesystem::path& file, const FieldMap& map,
                                                 LongContextAction action, const std::filesystem::path& model);

}  // namespace kvantage::inline wiring
