// What a run found out, as settings of the systems that serve in production: LMCache's file and vLLM's. Only keys that
// those programs know are written; what they have no key for is said in words, in the file and to the caller. Keys:
// LMCache lmcache/v1/config.py; vLLM docs/features/kv_offloading_usage.md, vllm/config/cache.py and scheduler.py (both
// of 2026). tests/goldens/serving_keys.json lists them with their sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/recorded_run.h"

namespace kvantage {

struct ServingSettings {
  std::string text;                 // YAML
  std::vector<std::string> unsaid;  // a sentence each; the text holds them as comments
};

struct ServingOptions {
  std::string disk_directory = "kv_cache";  // of a tier in a folder: a run does not record where its folders lay
};

/// The systems that there is a form for: "lmcache", "vllm".
std::vector<std::string> serving_systems();

/// `run`: with all its events. usage: another system. rejected_input: a run that does not tell its tiers.
Expected<ServingSettings> serving_settings(const RecordedRun& run, std::string_view system,
                                           const ServingOptions& options = {});

}  // namespace kvantage
