// Workloads by name: the options behind `workload make --preset`, used to create the samples and the papers' regimes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/make_workload.h"

namespace kvantage::inline workload {

/// How a session on the workload starts, as in session.json; nothing is written without tiers.
struct SessionStart {
  std::string policy = "evicpress";
  double alpha = 0.3;              // seconds per unit of quality
  std::vector<std::string> tiers;  // text forms of --tier, fastest first
  std::vector<std::string> methods = {"knorm", "keydiff", "snapkv", "streaming_llm"};
  std::vector<double> removed_fractions = {0.2, 0.4, 0.6, 0.8, 0.9};
  bool reprofile = true;             // re-profile a context when its answers fall short of its curve
  std::string compute_or_load = {};  // empty: the default
};

/// options.name is the preset's name, options.description what it demonstrates.
struct WorkloadPreset {
  MakeWorkloadOptions options;
  SessionStart session;
  bool is_sample = true;  // ships as a folder; the others are made on the machine, being large
};

/// All presets, in a fixed order.
std::span<const WorkloadPreset> workload_presets();
/// usage error that lists the names, with a near miss if there is one.
Expected<const WorkloadPreset*> find_workload_preset(std::string_view name);

}  // namespace kvantage::inline workload
