// Reads and writes whole small files. Bulk KV bytes use core/ports/file_device.h instead.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace kvantage {

/// rejected_input with the system's reason when it cannot be read.
Expected<std::string> read_text_file(const std::filesystem::path& path);
/// Writes a temporary file, then renames it, so that a reader never sees half a file; a device or pipe is written to
/// itself. rejected_input for a path that cannot be written to, no_space or io otherwise.
Status write_text_file(const std::filesystem::path& path, std::string_view text);
/// $XDG_CACHE_HOME/kvantage or ~/.cache/kvantage; KVANTAGE_CACHE overrides.
std::filesystem::path cache_directory();

}  // namespace kvantage
