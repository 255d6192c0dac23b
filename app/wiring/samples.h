// The sample workloads that ship, by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kvantage {

struct SampleWorkload {
  std::string name;  // of its folder
  std::filesystem::path folder;
  std::string description;     // what it shows, in a line
  std::uint64_t requests = 0;  // of a run; 0: texts without a workload.json
};

/// Every sample below the program's home, the quick start first and the rest by name. One that cannot be read is left
/// out.
std::vector<SampleWorkload> sample_workloads();

/// The path itself when there is something there, else the folder of the sample of that name; else the path, for
/// whoever reads it to refuse.
std::filesystem::path named_workload(const std::filesystem::path& given);

}  // namespace kvantage
