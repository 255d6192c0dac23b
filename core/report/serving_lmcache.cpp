// LMCache: one file of settings, sizes in GiB.
#include "core/base/units.h"
#include "core/report/serving_facts.h"

namespace kvantage {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  const std::string text = yaml_number(static_cast<double>(bytes) / 1073741824.0);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;  // its type is a float
}

}  // namespace

ServingSettings lmcache_settings(const ServingFacts& facts, const ServingOptions& options) {
  std::vector<std::string> unsaid = facts.unsaid;
  std::string keys;
  const auto set = [&](const char* key, const std::string& value) { keys += std::string(key) + ": " + value + "\n"; };
  if (facts.chunk_tokens > 0) set("chunk_size", std::to_string(facts.chunk_tokens));
  set("local_cpu", facts.memory ? "true" : "false");
  if (facts.memory)
    set("max_local_cpu_size", gibibytes(facts.memory->budget_bytes));
  else
    unsaid.push_back("there was no tier in host memory; LMCache passes everything through some, of its own default size");
  if (facts.disk) {
    set("local_disk", yaml_text("file://" + options.disk_directory + (options.disk_directory.ends_with('/') ? "" : "/")));
    set("max_local_disk_size", gibibytes(facts.disk->budget_bytes));
  }
  if (facts.remote) {
    set("remote_url", yaml_text(facts.remote->url));
    const bool cachegen = facts.fixed_method.find("cachegen") != std::string::npos && facts.fixed_removed_fraction == 0;
    set("remote_serde", yaml_text(cachegen ? "cachegen" : "naive"));
    unsaid.push_back("the budget of tier '" + facts.remote->name + "' (" + format_bytes(facts.remote->budget_bytes) + "): set it at the server (maxmemory)");
    if (cachegen) unsaid.push_back("coding in tiers that are not remote: remote_serde codes what goes to the server alone");
  } else if (!facts.fixed_method.empty() && facts.fixed_removed_fraction == 0) {
    unsaid.push_back("codec " + facts.fixed_method + ": entries are coded on their way to a remote server alone");
  }
  if (facts.policy_name == "lfu") {
    set("cache_policy", yaml_text("LFU"));
  } else {
    set("cache_policy", yaml_text("LRU"));
    if (facts.policy_name != "lru" && facts.policy_name != "fixed")
      unsaid.push_back("eviction by " + facts.settings.policy + "; LRU is the nearest there is");
  }
  set("save_decode_cache", "false");  // answers are not stored here
  set("save_unfull_chunk", "true");   // contexts are stored to their last token
  const std::string use =
      "LMCACHE_CONFIG_FILE=this file, vllm serve MODEL --kv-transfer-config {\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}";
  return {yaml_head(facts, use, unsaid) + keys, unsaid};
}

}  // namespace kvantage
