// Modules of the program that are loaded at run time, beside it or where a variable says. Private to the files that
// open one: gpu_module.h, parquet_module.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline wiring {

struct ProgramModule {
  const char* file;      // "libkvantage_gpu.so"
  const char* variable;  // that may name another file
  const char* option;    // of ./run, which builds it: "--gpu"
  const char* entry;     // the function that it exports
};

/// Candidate paths, first match wins: only that of the variable if it is set, else beside the program and in the
/// library folders of an installation.
std::vector<std::filesystem::path> module_places(const ProgramModule& module);
/// The first of them that exists; nothing is loaded.
std::optional<std::filesystem::path> find_module(const std::vector<std::filesystem::path>& places);
/// Why there is none, and how to get one.
std::string missing_module_text(const ProgramModule& module, const std::vector<std::filesystem::path>& places);
/// Its entry. The file stays loaded until the process ends, and shows its symbols to nothing else. rejected_input: a
/// file that cannot be loaded, or is no such module.
Expected<void*> load_module(const ProgramModule& module, const std::filesystem::path& file);

}  // namespace kvantage::inline wiring
