// The findings of a run as settings of production serving systems: LMCache's file and vLLM's. Only keys that those
// programs know are written; anything without a key is a comment in the file and a message to the caller. Keys and
// values are those of the releases LMCache 0.5.6 and vLLM 0.33.0: tests/parity/validate_exports.py loads exports with
// their own classes, and tests/goldens/serving has what it accepted. core/imported/serving reads such files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/recorded_run.h"

namespace kvantage::inline serving {

struct ExportedSettings {
  std::string text;                 // YAML
  std::vector<std::string> unsaid;  // one sentence each; also comments in the text
  double factor = 1;                // by which the budgets of the run were multiplied
};

/// Another model than the run's, whose caches have another size.
struct ServedModel {
  std::string name;
  double bytes_per_token = 0;  // keys and values of all layers, as served
};

struct ServingOptions {
  std::string disk_directory = "kv_cache";    // of a tier in a folder: a run does not record its folders
  std::optional<ServedModel> for_model = {};  // budgets are scaled for it, so that they hold as many tokens
};

/// The supported systems: "lmcache", "vllm".
std::vector<std::string> serving_systems();
/// usage: another system.
Status check_serving_system(std::string_view system);

/// `run`: with all its events. usage: another system. rejected_input: a run without tier information, or with a model
/// to scale for and without its own bytes per token.
Expected<ExportedSettings> serving_settings(const RecordedRun& run, std::string_view system,
                                            const ServingOptions& options = {});

}  // namespace kvantage::inline serving
