// The facts of a recorded run that other systems' settings derive from. Private to core/report.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/session.h"
#include "core/report/serving/serving_settings.h"

namespace kvantage::inline serving {

/// Tiers by their role in other systems.
struct ServingFacts {
  std::string run_id, model, workload;
  SessionSettings settings;
  std::optional<TierConfig> memory, disk, remote;
  std::uint64_t chunk_tokens = 0;           // 0: not recorded
  std::uint64_t largest_context_bytes = 0;  // uncompressed; 0: not recorded
  std::string policy_name;                  // without its arguments: "fixed"
  bool stores = true;                       // false: the policy keeps no cache
  std::string eviction;                     // eviction order of a tier, from core/eviction; empty: another rule
  std::string fixed_method;                 // of fixed(METHOD,FRACTION) and similar, else empty
  std::vector<std::string> codecs;          // of fixed_method, by name and in order: "kivi4", "zstd"
  double fixed_removed_fraction = 0;
  std::string budgets_text = "Budgets are those of the run; another model's caches have another size per token.";
  std::vector<std::string> unsaid;  // not expressible in any other system
};

/// Whether a codec belongs to a family: "kivi4(group=64)" to "kivi".
bool is_codec_of(std::string_view codec, std::string_view family);

/// "6.0 MiB" or "unlimited".
std::string room_of(const TierConfig& tier);
/// Bytes to configure for a tier; a large number for an unlimited one, noted in `unsaid`.
std::uint64_t room_set_for(const TierConfig& tier, std::vector<std::string>& unsaid);

/// `system`: one of serving_systems().
Expected<ServingFacts> serving_facts(const RecordedRun& run, std::string_view system);

/// A one-line comment.
std::string yaml_comment(std::string_view text);
/// The source of the settings and what they leave out.
std::string yaml_head(const ServingFacts& facts, std::string_view use, const std::vector<std::string>& unsaid);
/// A number in its shortest form, with a point whatever the locale says.
std::string yaml_number(double value);
/// A string in single quotes.
std::string yaml_text(std::string_view text);

ExportedSettings lmcache_settings(const ServingFacts& facts, const ServingOptions& options);
Expected<ExportedSettings> vllm_settings(const ServingFacts& facts, const ServingOptions& options);

}  // namespace kvantage::inline serving
