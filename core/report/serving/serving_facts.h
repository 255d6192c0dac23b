// What of a recorded run other systems' settings are made from. Private to core/report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/session.h"
#include "core/report/serving/serving_settings.h"

namespace kvantage {

/// Tiers by what they are to other systems.
struct ServingFacts {
  std::string run_id, model, workload;
  SessionSettings settings;
  std::optional<TierConfig> memory, disk, remote;
  std::uint64_t chunk_tokens = 0;           // 0: not recorded
  std::uint64_t largest_context_bytes = 0;  // uncompressed; 0: not recorded
  std::string policy_name;                  // without its arguments: "fixed"
  bool stores = true;                       // false: full_prefill, which keeps no cache
  std::string eviction;             // order by which contexts leave a tier, of core/eviction; empty: another rule
  std::string fixed_method;         // of fixed(METHOD,FRACTION) and the like, else empty
  std::vector<std::string> codecs;  // of fixed_method, by name and in order: "kivi4", "zstd"
  double fixed_removed_fraction = 0;
  std::vector<std::string> unsaid;  // true of every other system
};

/// Whether a codec is of a family: "kivi4(group=64)" of "kivi".
bool is_codec_of(std::string_view codec, std::string_view family);

/// "6.0 MiB" or "unlimited".
std::string room_of(const TierConfig& tier);
/// Bytes to set for a tier; of an unlimited one a large number, which `unsaid` then tells.
std::uint64_t room_set_for(const TierConfig& tier, std::vector<std::string>& unsaid);

Expected<ServingFacts> serving_facts(const RecordedRun& run);

/// A comment of one line.
std::string yaml_comment(std::string_view text);
/// Where the settings come from and what they do not say.
std::string yaml_head(const ServingFacts& facts, std::string_view use, const std::vector<std::string>& unsaid);
/// A number in its shortest form, with a point whatever the locale says.
std::string yaml_number(double value);
/// A string in single quotes.
std::string yaml_text(std::string_view text);

ServingSettings lmcache_settings(const ServingFacts& facts, const ServingOptions& options);
Expected<ServingSettings> vllm_settings(const ServingFacts& facts, const ServingOptions& options);

}  // namespace kvantage
