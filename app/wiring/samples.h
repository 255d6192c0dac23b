// The bundled sample workloads, by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline wiring {

struct SampleWorkload {
  std::string name;  // of its folder
  std::filesystem::path folder;
  std::string description;     // what it demonstrates, in one line
  std::uint64_t requests = 0;  // per run; 0: texts without a workload.json
};

/// Every sample below the program's home, the quick start first and the rest by name. Unreadable ones are skipped.
std::vector<SampleWorkload> sample_workloads();

/// In the cache folder: where ready_workload() makes a workload that does not ship.
std::filesystem::path made_workload_folder(const std::filesystem::path& name);

/// The path itself if it exists, else the folder of the sample of that name, or of a workload that was made; else the
/// path, whose reader will reject it.
std::filesystem::path named_workload(const std::filesystem::path& given);

/// rejected_input: a bare name that neither the current folder nor the samples have, with the sample that may be meant.
/// Paths are left to their readers.
Status check_workload_is_there(const std::filesystem::path& given);

}  // namespace kvantage::inline wiring
