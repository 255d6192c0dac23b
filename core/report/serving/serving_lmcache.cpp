// LMCache 0.5.6: one settings file, sizes in GiB (times 1024^3 in its storage_backend).
#include "core/base/units.h"
#include "core/report/serving/serving_facts.h"

namespace kvantage::inline serving {
namespace {

std::string gibibytes(std::uint64_t bytes) {
  const std::string text = yaml_number(static_cast<double>(bytes) / 1073741824.0);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;  // its type is a float
}

/// The serializer for entries sent to a server: the first codec with an equivalent. LMCache 0.5.6 also takes "kivi",
/// but storage_backend/naive_serde/kivi_serde.py returns entries unchanged.
std::string serde_of(const ServingFacts& facts, std::vector<std::string>& unsaid) {
  std::string serde;
  for (const std::string& codec : facts.codecs) {
    if (is_codec_of(codec, "kivi")) {
      unsaid.push_back("codec " + codec + ": remote_serde kivi of LMCache 0.5.6 returns entries unchanged");
      continue;
    }
    if (!is_codec_of(codec, "cachegen") || !serde.empty()) {
      unsaid.push_back("codec " + codec + ": remote_serde has none of its kind" +
                       (serde.empty() ? "" : " after another"));
      continue;
    }
    serde = "cachegen";
    if (codec != serde) unsaid.push_back("parameters of codec " + codec + ": remote_serde cachegen has its own");
  }
  return serde.empty() ? "naive" : serde;
}

/// The url of a Redis server or cluster, as LMCache has it; empty for other stores, whose urls have another form there.
std::string remote_url_of(const TierConfig& tier, std::vector<std::string>& unsaid) {
  const std::string& url = tier.option("url");
  const bool redis = url.starts_with("redis://") || url.starts_with("rediss://") || url.starts_with("redis-cluster://");
  if (!redis)
    unsaid.push_back("tier '" + tier.name + "' at " + url.substr(0, url.find("://")) +
                     "://: LMCache's url of such a store has another form; set remote_url by hand");
  const std::size_t more = url.find('?');
  if (redis && more != std::string::npos) unsaid.push_back("what follows the ? in the url of tier '" + tier.name + "'");
  return redis ? url.substr(0, more) : std::string();
}

/// The closest of LRU, LFU, FIFO, MRU.
std::string cache_policy_of(const ServingFacts& facts, std::vector<std::string>& unsaid) {
  if (facts.eviction == "lru") return "LRU";
  if (facts.eviction == "lfu") return "LFU";
  if (facts.eviction == "fifo") return "FIFO";
  if (facts.eviction == "gdsf") {
    unsaid.push_back("eviction by gdsf (age, requests and seconds saved per byte); LFU, by requests, is the closest");
    return "LFU";
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
  const std::string remote_url = facts.remote ? remote_url_of(*facts.remote, unsaid) : std::string();
  if (!remote_url.empty()) {
    set("remote_url", yaml_text(remote_url));
    if (remote_url.starts_with("redis-cluster://"))
      unsaid.push_back("remote_url names a Redis Cluster: check that your version of LMCache connects to one");
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
  return {yaml_head(facts, use, unsaid) +
              yaml_comment("Sizes are in GiB, of each process of the engine: with several GPUs divide them.") + keys,
          unsaid};
}

}  // namespace kvantage::inline serving
