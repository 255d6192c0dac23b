// Options of `kvantage-cli fleet`, and the simulation that they mean.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/fleet/fleet_simulation.h"

namespace kvantage::cli {

struct FleetArguments {
  std::string preset = "qwen3-30b-a3b-evicpress", store_bytes = "20%", store_bandwidth, store_latency, store_load;
  std::vector<std::string> tiers{"dram=9%,ssd=21%"};  // the shares of the quick start's session
  std::filesystem::path curves;                       // empty: of the quick start
  FleetWorkload workload{.contexts = 1'000'000, .shards = 100};
  double alpha = 1, loss = 0, rate = 0, length_scale = 1;
  int rounds = 40;
  std::uint32_t epochs = 1;
  unsigned threads = 0;  // 0: one per core
  bool json = false, quiet = false;
};

/// What is simulated, and where its numbers come from.
struct PreparedFleet {
  FleetSetup setup;
  std::string preset, source, curves;
  std::vector<std::string> tiers;  // names, the store last
  std::vector<double> budgets;     // bytes: of each engine's tiers, then of the store
  double context_bytes = 0;        // mean, uncompressed
  std::size_t forms = 0, priced_forms = 0;
};

/// Declares them on the subcommand.
void add_fleet_options(CLI::App& command, FleetArguments& arguments);

/// usage errors name the option; rejected_input the file.
Expected<PreparedFleet> prepare_fleet(const FleetArguments& arguments);

}  // namespace kvantage::cli
