// Where the processors that a program may use are: hardware threads of which core, cores of which NUMA node, and which
// of them are slow, as /sys says.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace kvantage::inline model_cores {

/// A hardware thread, which the system counts as a processor.
struct Processor {
  int id = 0;
  int core = 0;      // lowest id among the hardware threads of its core
  int node = 0;      // NUMA node
  bool fast = true;  // false: an efficiency core beside faster ones
  bool operator==(const Processor&) const = default;
};

struct CoreTopology {
  std::vector<Processor> processors;  // ascending by id

  int cores() const;
  int fast_cores() const;
  int nodes() const;
};

/// The places of these processors, ascending and not empty. root: "/sys", or a recorded tree. What it does not say:
/// every processor is a core of its own, fast, on node 0. A core is slow if it is among Intel's efficiency cores, or if
/// its capacity or highest clock rate is below 0.8 of the highest.
CoreTopology read_core_topology(const std::filesystem::path& root, const std::vector<int>& allowed);

/// Processors that the control group (version 2) below `root` allows: those of cpuset.cpus.effective that are also
/// among `allowed`; all of `allowed` where it says nothing or none of them.
std::vector<int> processors_of_control_group(const std::filesystem::path& root, std::vector<int> allowed);

/// Processors' worth of time that it allows (cpu.max), 2.5 for instance; nothing without a limit.
std::optional<double> processor_time_of_control_group(const std::filesystem::path& root);

/// "0-3,8" is 0, 1, 2, 3 and 8; ascending. Empty where the text is anything else.
std::vector<int> parse_processor_list(std::string_view text);

}  // namespace kvantage::inline model_cores
