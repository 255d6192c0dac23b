// Options of `kvantage-cli simulate`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/trace/trace.h"

namespace kvantage::cli {

struct SimulateArguments {
  std::string trace, policies = "lru", capacities, mode = "auto", preset, dataset, run;
  std::filesystem::path database, profiles, ttft_table;
  std::vector<std::string> tiers;
  TraceOptions options;
  double rate = 0, alpha = 1, quality_spread = 0, output_token_seconds = 0;
  std::uint64_t seed = 1;
  unsigned servers = 1;
  bool json = false, quiet = false, list = false, curve = false;
  std::uint64_t block_tokens = 0, curve_keys = 8192;  // 0: the trace's; all
  std::string beyond_fit = "mark";
  std::filesystem::path picture;
};

/// Declares them on the subcommand.
void add_simulate_options(CLI::App& command, SimulateArguments& arguments);
/// Ranges that the declarations do not check: numbers that may also be NaN. usage errors name the option.
Status check_simulate_options(const SimulateArguments& arguments);

}  // namespace kvantage::cli
