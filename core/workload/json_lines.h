// JSON-lines files: errors name file and line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/json.h"

namespace kvantage::inline workload {

/// Takes the JSON of a line and "name:line".
using ReadJsonLine = std::function<Status(const Json& json, const std::string& where)>;

/// Calls read_line for each non-blank line, until one fails. rejected_input as FileLines.
Status for_each_json_line(const std::filesystem::path& file, std::uint64_t max_bytes, const ReadJsonLine& read_line);

}  // namespace kvantage::inline workload
