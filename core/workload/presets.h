// Workloads worth showing, by name: what `workload make --preset` begins with and what the samples were made from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/make_workload.h"

namespace kvantage {

/// How a session on the workload starts, as session.json will say; nothing is written when there are no tiers.
struct SessionStart {
  std::string policy = "evicpress";
  double alpha = 0.3;              // seconds per unit of quality
  std::vector<std::string> tiers;  // text forms of --tier, fastest first
  std::vector<std::string> methods = {"knorm", "keydiff", "snapkv", "streaming_llm"};
  std::vector<double> removed_fractions = {0.2, 0.4, 0.6, 0.8, 0.9};
  bool reprofile = true;  // measure a context's curve again when its answers fall short of it
};

/// options.name is the preset's name, options.description what it shows.
struct WorkloadPreset {
  MakeWorkloadOptions options;
  SessionStart session;
};

/// All presets, in a fixed order.
std::span<const WorkloadPreset> workload_presets();
/// usage error that lists the names, with a near miss if there is one.
Expected<const WorkloadPreset*> find_workload_preset(std::string_view name);

}  // namespace kvantage
