// LMCache: one settings file, sizes in GiB.
#include "core/base/units.h"
#include "core/report/serving/serving_facts.h"

namespace kvantage::inline serving {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  const std::string text = yaml_number(static_cast<double>(bytes) / 1073741824.0);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;  // its type is a float
}

/// The serializer for entries sent to a server: the first codec with an equivalent.
std::string serde_of(const ServingFacts& facts, std::vector<std::string>& unsaid) {
  std::string serde;
  for (const std::string& codec : facts.codecs) {
    const std::string own = is_codec_of(codec, "cachegen") ? "cachegen" : is_codec_of(codec, "kivi") ? "kivi" : "";
    if (own.empty() || !serde.empty()) {
      unsaid.push_back("codec " + codec + ": remote_serde has none of its kind" +
                       (serde.empty() ? "" : " after another"));
      continue;
    }
    serde = own;
    if (codec != own) unsaid.push_back("parameters of codec " + codec + ": remote_serde " + own + " has its own");
  }
  return serde.empty() ? "naive" : serde;
}

/// The closest of LRU, LFU, FIFO, MRU, COST_AWARE.
std::string cache_policy_of(const ServingFacts& facts, std::vector<std::string>& unsaid) {
  if (facts.eviction == "lru") return "LRU";
  if (facts.eviction == "lfu") return "LFU";
  if (facts.eviction == "gdsf") {
    unsaid.push_back(
        "eviction by gdsf (age, requests and seconds saved per byte); COST_AWARE, with its own cost weights, is the "
        "closest");
    return "COST_AWARE";
  }
  unsaid.push_back("eviction by " + (facts.eviction.empty() ? facts.settings.policy : facts.eviction) +
                   "; LRU is the closest");
  return "LRU";
}

}  // namespace

ExportedSettings lmcache_settings(const ServingFacts& facts, const ServingOptions& options) {
  std::vector<std::string> unsaid = facts.unsaid;
  std::string keys;
  const auto set = [&](const char* key, const std::string& value) { keys += std::string(key) + ": " + value + "\n"; };
  if (!facts.stores) {
    set("local_cpu", "false");
    set("save_decode_cache", "false");
    return {yaml_head(facts, "Stores nothing: the same as vllm serve without a --kv-transfer-config", unsaid) + keys,
            unsaid};
  }
  if (facts.chunk_tokens > 0) set("chunk_size", std::to_string(facts.chunk_tokens));
  set("local_cpu", facts.memory ? "true" : "false");
  if (facts.memory)
    set("max_local_cpu_size", gibibytes(room_set_for(*facts.memory, unsaid)));
  else
    unsaid.push_back(
        "there was no tier in host memory; LMCache passes everything through one, of its own default size");
  if (facts.disk) {
    set("local_disk",
        yaml_text("file://" + options.disk_directory + (options.disk_directory.ends_with('/') ? "" : "/")));
    set("max_local_disk_size", gibibytes(room_set_for(*facts.disk, unsaid)));
  }
  if (facts.remote) {
    set("remote_url", yaml_text(facts.remote->option("url")));
    const std::string serde = serde_of(facts, unsaid);
    set("remote_serde", yaml_text(serde));
    unsaid.push_back("the budget of tier '" + facts.remote->name + "' (" + room_of(*facts.remote) +
                     "): set it at the server (maxmemory)");
    if (serde != "naive")
      unsaid.push_back("codecs in tiers that are not remote: remote_serde encodes only what goes to the server");
  } else {
    for (const std::string& codec : facts.codecs)
      unsaid.push_back("codec " + codec + ": entries are encoded only on their way to a remote server");
  }
  set("cache_policy", yaml_text(cache_policy_of(facts, unsaid)));
  set("save_decode_cache", "false");  // answers are not stored here
  set("save_unfull_chunk", "true");   // contexts are stored up to their last token
  const std::string use =
      "LMCACHE_CONFIG_FILE=lmcache.yaml vllm serve MODEL --kv-transfer-config "
      "'{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"kv_both\"}'";
  return {yaml_head(facts, use, unsaid) + keys, unsaid};
}

}  // namespace kvantage::inline serving
