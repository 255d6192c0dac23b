// vLLM: the YAML of `vllm serve --config`, whose keys are long options, or the JSON of --kv-transfer-config; names as
// in vllm/config/cache.py and vllm/v1/kv_offload of 0.33.0.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/shown_text.h"
#include "core/imported/serving/serving_keys.h"

namespace kvantage::inline serving_files {
namespace {

/// Options that this file reads, and that no other program's file has.
constexpr std::array<std::string_view, 6> read_vllm_keys{"kv-transfer-config",    "kv-offloading-size",
                                                         "kv-offloading-backend", "enable-prefix-caching",
                                                         "kv-cache-dtype",        "max-num-seqs"};

constexpr int max_session_batch = 64;  // as core/ports/session.h has it

std::string unsaid_key(std::string_view key) { return printable(shortened(key, 80)); }

/// What a file becomes, before it is one policy.
struct VllmChoice {
  std::string eviction = "lru";
  bool offloads = false;
  bool has_folder = false;  // a tier of type fs
};

/// Of a tier below the memory: only type fs is a folder.
void take_secondary_tier(const Json& tier, ServingConfig& config, VllmChoice& choice) {
  const std::string type = tier.is_object() && tier.value("type", Json()).is_string()
                               ? tier.at("type").get<std::string>()
                               : std::string("without a type");
  if (type != "fs" || choice.has_folder) {
    config.unsaid.push_back("secondary_tiers: a tier " + unsaid_key(type) +
                            (type == "fs" ? "; one tier in a folder is set" : "; only fs, a folder, is known"));
    return;
  }
  choice.has_folder = true;
  add_tier(config, "ssd", std::nullopt, "secondary_tiers (vLLM gives it no budget)");
  for (const auto& [key, value] : tier.items())
    if (key != "type")
      config.unsaid.push_back(
          "secondary_tiers: " + unsaid_key(key) +
          (key == "root_dir" ? ": its folder; the tier is in a folder of the store" : ": no equivalent"));
}

Status take_offloading(const ServingKeys& extra, ServingConfig& config, VllmChoice& choice) {
  for (const char* key : {"cpu_bytes_to_use", "cpu_bytes_to_use_per_rank"}) {
    if (extra.at(key).is_null()) continue;
    KV_ASSIGN(const auto bytes, extra.bytes(key, 0, 1));
    if (bytes > 0 && !config.session.contains("tiers")) add_tier(config, "dram", bytes, key);
  }
  KV_ASSIGN(const auto eviction, extra.text("eviction_policy", "lru"));
  choice.eviction = eviction == "arc" ? "arc" : "lru";
  if (eviction != choice.eviction)
    config.unsaid.push_back("eviction_policy " + unsaid_key(eviction) + ": no such eviction order; lru is used");
  const Json& secondary = extra.at("secondary_tiers");
  if (secondary.is_array())
    for (const Json& tier : secondary) take_secondary_tier(tier, config, choice);
  for (const char* key : {"block_size", "blocks_per_chunk"})
    if (!extra.at(key).is_null()) config.unsaid.push_back(std::string(key) + ": contexts are stored whole");
  constexpr std::array<std::string_view, 7> known{
      "cpu_bytes_to_use", "cpu_bytes_to_use_per_rank", "eviction_policy", "secondary_tiers",
      "block_size",       "blocks_per_chunk",          "spec_name"};
  for (const auto& [key, value] : extra.values().items())
    if (std::ranges::find(known, key) == known.end() && !is_off(value))
      config.unsaid.push_back("kv_connector_extra_config: " + unsaid_key(key) + ": no equivalent");
  choice.offloads = true;
  return {};
}

/// "lmcache.KEY" in the connector's extra settings overrides LMCache's own file.
Status take_lmcache(const std::string& connector, const ServingKeys& extra, ServingConfig& config) {
  Json own = Json::object();
  constexpr std::string_view prefix = "lmcache.";
  for (const auto& [key, value] : extra.values().items())
    if (key.starts_with(prefix)) own[key.substr(prefix.size())] = value;
  if (own.empty())
    return fail(ErrorCode::rejected_input, extra.name() + ": " + connector +
                                               " has its sizes in LMCache's own file (LMCACHE_CONFIG_FILE); give that "
                                               "file");
  KV_ASSIGN(auto read, lmcache_config(ServingKeys(own, extra.name())));
  config.session.update(read.session);
  config.taken.insert(config.taken.end(), read.taken.begin(), read.taken.end());
  config.unsaid.insert(config.unsaid.end(), read.unsaid.begin(), read.unsaid.end());
  return {};
}

/// `transfer`: a KVTransferConfig.
Status take_transfer(const ServingKeys& transfer, ServingConfig& config, VllmChoice& choice) {
  KV_ASSIGN(const auto connector, transfer.text("kv_connector", {}));
  KV_ASSIGN(const auto role, transfer.text("kv_role", {}));
  const Json& extra_values = transfer.at("kv_connector_extra_config");
  const Json nothing = Json::object();
  if (!extra_values.is_null() && !extra_values.is_object())
    return fail(ErrorCode::rejected_input, transfer.name() + ": kv_connector_extra_config: is no object; correct it");
  const ServingKeys extra(extra_values.is_object() ? extra_values : nothing, transfer.name());
  if (connector == "OffloadingConnector" || connector == "SimpleCPUOffloadConnector")
    KV_TRY(take_offloading(extra, config, choice));
  else if (connector.starts_with("LMCacheConnectorV1"))
    KV_TRY(take_lmcache(connector, extra, config));
  else
    config.unsaid.push_back("kv_connector " + unsaid_key(connector.empty() ? "none" : connector) + ": no equivalent");
  if (!role.empty() && role != "kv_both")
    config.unsaid.push_back("kv_role " + unsaid_key(role) + ": a session stores and loads");
  constexpr std::array<std::string_view, 4> known{"kv_connector", "kv_role", "kv_connector_extra_config", "engine_id"};
  for (const auto& [key, value] : transfer.values().items())
    if (std::ranges::find(known, key) == known.end() && !is_off(value))
      config.unsaid.push_back("kv-transfer-config: " + unsaid_key(key) + ": no equivalent");
  return {};
}

Status take_batch(const ServingKeys& keys, ServingConfig& config) {
  if (keys.at("max-num-seqs").is_null()) return {};
  KV_ASSIGN(const double wanted, keys.number("max-num-seqs", 1));
  if (!(wanted >= 1 && wanted <= 1e9 && wanted == std::floor(wanted)))
    return fail(ErrorCode::rejected_input, keys.name() + ": max-num-seqs: is not a whole number above 0; correct it");
  const int batch = static_cast<int>(std::min(wanted, static_cast<double>(max_session_batch)));
  config.session["max_batch"] = batch;
  config.taken.push_back("max concurrency " + std::to_string(batch) + ", of max-num-seqs");
  if (wanted > max_session_batch)
    config.unsaid.push_back("max-num-seqs above " + std::to_string(max_session_batch) +
                            ": the most that a session has");
  return {};
}

/// Of --kv-cache-dtype: the codec of a fixed method; empty: none.
std::string codec_of(const std::string& type, ServingConfig& config) {
  if (type == "fp8" || type == "fp8_e4m3") {
    config.unsaid.push_back("kv-cache-dtype " + type + ": vLLM also computes on fp8; here it is the form in the tiers");
    return "fp8";
  }
  if (type != "auto") config.unsaid.push_back("kv-cache-dtype " + unsaid_key(type) + ": no equivalent");
  return {};
}

/// With dashes in its keys, and --no-enable-prefix-caching as vLLM reads it.
Json vllm_options(const Json& values) {
  Json options = Json::object();
  for (const auto& [key, value] : values.items()) options[with_dashes(key)] = value;
  if (options.contains("no-enable-prefix-caching")) {
    if (options["no-enable-prefix-caching"] == Json(true)) options["enable-prefix-caching"] = false;
    options.erase("no-enable-prefix-caching");
  }
  return options;
}

void say_other_options(const Json& options, ServingConfig& config) {
  for (const auto& [key, value] : options.items()) {
    if (std::ranges::find(read_vllm_keys, key) != read_vllm_keys.end()) continue;
    if (key == "model")
      config.unsaid.push_back("model: choose one with --model");
    else if (!is_off(value))
      config.unsaid.push_back(unsaid_key(key) + ": no equivalent");
  }
}

/// `keys`: of the options, with dashes. The JSON of --kv-transfer-config may be a text in them.
Status take_options(const ServingKeys& keys, ServingConfig& config, VllmChoice& choice) {
  KV_ASSIGN(const auto backend, keys.text("kv-offloading-backend", "native"));
  if (!keys.at("kv-offloading-size").is_null()) {
    KV_ASSIGN(const auto bytes, keys.bytes("kv-offloading-size", 0, gibibyte));
    if (backend != "native") {
      config.unsaid.push_back("kv-offloading-size: with the backend " + unsaid_key(backend) +
                              " the sizes are those of a server of its own");
    } else if (bytes > 0) {
      add_tier(config, "dram", bytes, "kv-offloading-size");
      choice.offloads = true;
    }
  }
  const Json& written = keys.at("kv-transfer-config");
  if (written.is_null()) return {};
  const std::string name = keys.name() + ": kv-transfer-config";
  Json parsed = written;
  if (written.is_string()) {
    KV_ASSIGN(parsed, parse_json(written.get<std::string>(), name));
  }
  if (!parsed.is_object()) return fail(ErrorCode::rejected_input, name + ": is no object; correct it");
  return take_transfer(ServingKeys(parsed, name), config, choice);
}

}  // namespace

bool is_vllm_key(std::string_view key) {
  return key == "no-enable-prefix-caching" || std::ranges::find(read_vllm_keys, key) != read_vllm_keys.end();
}

Expected<ServingConfig> vllm_config(const ServingKeys& keys) {
  ServingConfig config{.system = "vLLM", .session = Json::object(), .taken = {}, .unsaid = {}};
  VllmChoice choice;
  if (keys.values().contains("kv_connector")) {
    KV_TRY(take_transfer(keys, config, choice));
    if (choice.offloads && config.session.contains("tiers")) config.session["policy"] = choice.eviction;
  } else {
    const Json options = vllm_options(keys.values());
    const ServingKeys own(options, keys.name());
    KV_TRY(take_options(own, config, choice));
    KV_TRY(take_batch(own, config));
    KV_ASSIGN(const auto type, own.text("kv-cache-dtype", "auto"));
    const std::string codec = codec_of(type, config);
    if (config.session.contains("tiers") && choice.offloads)
      config.session["policy"] =
          codec.empty() ? choice.eviction : "fixed(" + codec + ",0,eviction=" + choice.eviction + ")";
    const bool caches = own.flag("enable-prefix-caching", true);
    if (!caches && !config.session.contains("tiers")) config.session["policy"] = "full_prefill";
    if (!caches && config.session.contains("tiers"))
      config.unsaid.push_back("enable-prefix-caching false: the tiers are used, as its connector does");
    if (caches && !config.session.contains("tiers") && config.unsaid.empty())
      config.unsaid.push_back("vLLM keeps caches on the GPU only, in memory that it sizes itself");
    say_other_options(options, config);
  }
  const auto names_policy = [](const std::string& taken) { return taken.starts_with("policy "); };
  if (config.session.contains("policy") && std::ranges::none_of(config.taken, names_policy))  // LMCache's says its own
    config.taken.push_back("policy " + config.session["policy"].get<std::string>() + ", of vLLM's settings");
  return config;
}

}  // namespace kvantage::inline serving_files
