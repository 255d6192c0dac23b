// Settings files of serving systems as the settings of a session: LMCache's YAML (LMCACHE_CONFIG_FILE) and vLLM's, the
// YAML of `vllm serve --config` or the JSON of --kv-transfer-config. The other direction is core/report/serving. Keys
// and units are those of LMCache 0.5.6 and vLLM 0.33.0. Files come from anybody: folders, code and passwords in them
// are never used, and a server is only named (app/wiring/remote_consent.h asks before anything connects).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace kvantage::inline serving_files {

struct ServingConfig {
  std::string system;              // "LMCache" or "vLLM"
  Json session = Json::object();   // fields of session.json that the file sets: tiers, policy, max_batch
  std::vector<std::string> taken;  // what each of them is, and of which key: one sentence each
  std::vector<std::string>
      unsaid;  // keys without an equivalent here, one sentence each, the first 200; no values of unknown keys
};

/// `name`: of the file, for messages. rejected_input in one line: no settings of either system, a value of the wrong
/// type or out of range, a password, no tier.
Expected<ServingConfig> serving_config(const Json& values, const std::string& name);

/// A file that begins with { is JSON, any other YAML. rejected_input also where it cannot be read, is larger than
/// max_yaml_bytes, or has what json_of_yaml() refuses.
Expected<ServingConfig> read_serving_config(const std::filesystem::path& file);

/// Whether JSON that begins so holds a key of vLLM's --kv-transfer-config, or that option; for files whose name does
/// not say what they are.
bool looks_like_serving_config(std::string_view beginning);

}  // namespace kvantage::inline serving_files
