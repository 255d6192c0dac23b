// Options of `kvantage-cli run`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/session_options.h"

namespace kvantage::cli {

struct RunArguments : SessionArguments {
  std::string policies = "evicpress";  // where neither the command line nor the session names any
  std::optional<double> alpha_value, rate_value, former_threshold;
  std::optional<std::string> reprofile_when, assume_loss;
  std::optional<double> reprofile_share;  // of the busy time
  std::optional<int> max_batch_value, prefill_batch_tokens;
  bool no_reprofile = false;
  std::optional<std::string> compute_or_load;
  bool attend_quantized = false;
  std::optional<std::string> decode_eviction, decode_offload, speculation;
  std::uint64_t limit_value = 0, repeats = 1;
  bool no_warmup = false, keep_store = false;
  std::filesystem::path report_directory, listen;
  std::vector<std::string> command_line;
  std::string from, from_serving;
  bool freeze = false, details = false, interleave = true, one_by_one = false;
  const CLI::App* command = nullptr;
};

/// Declares all of them, those of sessions as well.
void add_run_options(CLI::App& command, RunArguments& arguments);

}  // namespace kvantage::cli
