// The findings of a run as settings of production serving systems: LMCache's file and vLLM's. Only keys that those
// programs know are written; anything without a key is a comment in the file and a message to the caller. Keys: LMCache
// lmcache/v1/config.py; vLLM docs/features/kv_offloading_usage.md, vllm/config/cache.py and scheduler.py (both of
// 2026). tests/goldens/serving_keys.json lists them with their sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/recorded_run.h"

namespace kvantage::inline serving {

struct ExportedSettings {
  std::string text;                 // YAML
  std::vector<std::string> unsaid;  // one sentence each; also comments in the text
};

struct ServingOptions {
  std::string disk_directory = "kv_cache";  // of a tier in a folder: a run does not record its folders
};

/// The supported systems: "lmcache", "vllm".
std::vector<std::string> serving_systems();
/// usage: another system.
Status check_serving_system(std::string_view system);

/// `run`: with all its events. usage: another system. rejected_input: a run without tier information.
Expected<ExportedSettings> serving_settings(const RecordedRun& run, std::string_view system,
                                            const ServingOptions& options = {});

}  // namespace kvantage::inline serving
