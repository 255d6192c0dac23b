// LMCache's file: sizes in GiB, and of each process of the engine; defaults as in lmcache/v1/config.py of 0.5.6.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/did_you_mean.h"
#include "core/base/shown_text.h"
#include "core/imported/serving/serving_keys.h"

namespace kvantage::inline serving_files {
namespace {

constexpr auto lmcache_keys = std::to_array<std::string_view>({
#include "core/imported/serving/lmcache_keys.inl"
});

/// Those that this file reads.
constexpr std::array<std::string_view, 10> read_lmcache_keys{
    "chunk_size", "local_cpu",    "max_local_cpu_size", "local_disk",        "max_local_disk_size",
    "remote_url", "remote_serde", "cache_policy",       "save_decode_cache", "save_unfull_chunk"};

constexpr double default_cpu_gibibytes = 5;

/// The address of a Redis or Valkey server or cluster, as KVantage writes it: without what follows its ?. Empty for
/// other stores, which are named in `unsaid`. rejected_input for one with a password. `key`: where the url is.
Expected<std::string> server_of(const ServingKeys& keys, const std::string& key, const std::string& url,
                                ServingConfig& config) {
  constexpr std::size_t max_url_bytes = 480;  // session.json reads 500
  if (url.size() > max_url_bytes)
    return fail(ErrorCode::rejected_input,
                keys.name() + ": " + key + ": is longer than " + std::to_string(max_url_bytes) + " bytes; shorten it");
  if (std::ranges::any_of(url, [](unsigned char letter) { return letter < 0x20 || letter == 0x7f; }))
    return fail(ErrorCode::rejected_input, keys.name() + ": " + key + ": holds a control character; remove it");
  const std::size_t scheme_end = url.find("://");
  const std::string scheme = url.substr(0, scheme_end);
  if (scheme_end == std::string::npos) {
    config.unsaid.push_back(key + ": is no url");
    return std::string();
  }
  const Json& extra = keys.at("extra_config");
  const bool cluster = scheme == "redis-cluster" ||
                       (scheme == "valkey" && extra.is_object() && extra.value("valkey_mode", Json()) == "cluster");
  const bool redis = cluster || scheme == "redis" || scheme == "rediss" || scheme == "resp" || scheme == "valkey";
  // A password may hold what ends an authority: no part of it may be shown.
  const std::string rest = url.substr(scheme_end + 3);
  const std::string authority = redis ? rest : rest.substr(0, rest.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string::npos && authority.find(':') < at)
    return fail(ErrorCode::rejected_input, keys.name() + ": " + key +
                                               ": holds a password; leave it out, and put it where docs/security.md "
                                               "says");
  if (!redis) {
    config.unsaid.push_back(key + ": a store " + shortened(scheme, 40) + "://; tiers on servers are Redis or Valkey");
    return std::string();
  }
  const std::size_t more = rest.find('?');
  if (more != std::string::npos) config.unsaid.push_back(key + ": what follows its ?");
  if (cluster)
    config.unsaid.push_back(key + ": nodes of the cluster that it does not name; add them to the url of the tier");
  return (cluster ? "redis-cluster://" : scheme == "rediss" ? "rediss://" : "redis://") + rest.substr(0, more);
}

/// remote_url, or the Redis url of its successor, remote_storage_plugins.
Expected<std::string> remote_url_of(const ServingKeys& keys, std::string& key) {
  key = "remote_url";
  if (!is_off(keys.at(key))) return keys.text(key, {});
  const Json& plugins = keys.at("remote_storage_plugins");
  const Json& extra = keys.at("extra_config");
  const bool redis = plugins == Json("redis") || (plugins.is_array() && plugins == Json::array({"redis"}));
  if (!redis || !extra.is_object()) return std::string();
  for (const char* one : {"remote_storage_plugin.redis.redis_url", "redis_url"})
    if (const auto found = extra.find(one); found != extra.end() && found->is_string()) {
      key = std::string("extra_config.") + one;
      return found->get<std::string>();
    }
  return std::string();
}

/// The policy of a tier's eviction.
std::string policy_of(const std::string& cache_policy, ServingConfig& config) {
  std::string word = cache_policy;
  std::ranges::transform(word, word.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  if (word == "LRU") return "lru";
  if (word == "LFU") return "lfu";
  if (word == "FIFO") return "fixed(none,0,eviction=fifo)";
  config.unsaid.push_back("cache_policy " + printable(shortened(word, 40)) + ": no such eviction order; lru is used");
  return "lru";
}

/// Keys of the file that nothing here reads, in the file's order by name.
void say_other_keys(const ServingKeys& keys, bool reads_plugins, ServingConfig& config) {
  for (const auto& [key, value] : keys.values().items()) {
    const std::string shown = printable(shortened(key, 80));
    if (std::ranges::find(read_lmcache_keys, key) != read_lmcache_keys.end()) continue;
    if (reads_plugins && key == "remote_storage_plugins") continue;
    if (!is_lmcache_key(key)) {
      // Beyond what is listed, nobody reads a hint.
      const bool near = config.unsaid.size() < max_unsaid && !near_miss(key, lmcache_keys).empty();
      config.unsaid.push_back(shown + ": no setting of LMCache 0.5.6, which ignores it" +
                              (near ? "; " + did_you_mean(key, lmcache_keys) : ""));
    } else if (!is_off(value)) {
      config.unsaid.push_back(shown + ": no equivalent");
    }
  }
}

/// Whether nothing in the file keeps a cache.
bool has_no_place(const ServingKeys& keys, bool in_memory) {
  constexpr std::array<std::string_view, 9> places{"local_disk", "remote_url", "remote_storage_plugins",
                                                   "gds_path",   "maru_path",  "enable_pd",
                                                   "enable_p2p", "mp_host",    "storage_plugins"};
  const Json& extra = keys.at("extra_config");
  return !in_memory && std::ranges::all_of(places, [&keys](std::string_view key) { return is_off(keys.at(key)); }) &&
         (!extra.is_object() || is_off(extra.value("enable_nixl_storage", Json())));
}

/// The server, where there is one.
Status take_remote(const ServingKeys& keys, bool& reads_plugins, ServingConfig& config) {
  std::string key;
  KV_ASSIGN(const auto url, remote_url_of(keys, key));
  reads_plugins = key != "remote_url";
  if (url.empty()) return {};
  KV_ASSIGN(const auto server, server_of(keys, key, url, config));
  if (!server.empty()) {
    add_tier(config, "remote", std::nullopt, key, server);
    config.unsaid.push_back(key + ": entries of LMCache on that server are not read; KVantage stores its own there");
  }
  KV_ASSIGN(const auto serde, keys.text("remote_serde", "naive"));
  if (serde != "naive")
    config.unsaid.push_back("remote_serde " + printable(shortened(serde, 40)) +
                            ": encodes only what goes to the server; the codec of a policy like fixed(cachegen,0) "
                            "holds in all tiers");
  return {};
}

}  // namespace

bool is_lmcache_key(std::string_view key) { return std::ranges::find(lmcache_keys, key) != lmcache_keys.end(); }

Expected<ServingConfig> lmcache_config(const ServingKeys& keys) {
  ServingConfig config{.system = "LMCache", .session = Json::object(), .taken = {}, .unsaid = {}};
  const bool in_memory = keys.flag("local_cpu", true);
  KV_ASSIGN(const auto cpu_bytes, keys.bytes("max_local_cpu_size", default_cpu_gibibytes, gibibyte));
  const std::string default_size = keys.at("max_local_cpu_size").is_null() ? " (LMCache's default)" : "";
  if (in_memory && cpu_bytes > 0) add_tier(config, "dram", cpu_bytes, "max_local_cpu_size" + default_size);
  KV_ASSIGN(const auto disk_bytes, keys.bytes("max_local_disk_size", 0, gibibyte));
  if (!is_off(keys.at("local_disk"))) {
    if (disk_bytes > 0) {
      add_tier(config, "ssd", disk_bytes, "max_local_disk_size");
      config.unsaid.push_back("local_disk: its folder; the tier is in a folder of the store");
    } else {
      config.unsaid.push_back("local_disk: LMCache has no disk tier without a max_local_disk_size");
    }
  }
  bool reads_plugins = false;
  KV_TRY(take_remote(keys, reads_plugins, config));

  KV_ASSIGN(const auto cache_policy, keys.text("cache_policy", "LRU"));
  if (config.session.contains("tiers")) {
    config.session["policy"] = policy_of(cache_policy, config);
    config.taken.push_back("policy " + config.session["policy"].get<std::string>() + ", of cache_policy" +
                           (keys.at("cache_policy").is_null() ? " (LMCache's default)" : ""));
  } else if (has_no_place(keys, in_memory)) {
    config.session["policy"] = "full_prefill";
    config.taken.push_back("policy full_prefill: the file has no place for caches");
  }
  if (!in_memory && cpu_bytes > 0)
    config.unsaid.push_back("max_local_cpu_size" + default_size +
                            ": with local_cpu false it is only a buffer on the way to other tiers");
  KV_ASSIGN(const double chunk, keys.number("chunk_size", 256));
  if (!(chunk >= 1 && chunk <= 1e9 && chunk == static_cast<double>(static_cast<std::uint64_t>(chunk))))
    return fail(ErrorCode::rejected_input, keys.name() + ": chunk_size: is not a whole number of tokens; correct it");
  if (!keys.at("chunk_size").is_null())
    config.unsaid.push_back("chunk_size " + std::to_string(static_cast<std::uint64_t>(chunk)) +
                            ": contexts are stored whole");
  if (keys.flag("save_decode_cache", false)) config.unsaid.push_back("save_decode_cache: answers are not stored");
  if (!keys.at("save_unfull_chunk").is_null() && !keys.flag("save_unfull_chunk", false))
    config.unsaid.push_back("save_unfull_chunk false: contexts are stored up to their last token");
  say_other_keys(keys, reads_plugins, config);
  return config;
}

}  // namespace kvantage::inline serving_files
