#include "app/cli/simulate_tiers.h"

#include <algorithm>
#include <array>

#include "app/cli/session_options.h"
#include "core/base/json.h"
#include "core/trace/lru_cache.h"
#include "tiers/tier_spec.h"

namespace kvantage::cli {
namespace {

constexpr const char* allowed = "a simulated tier is NAME=BYTES, behind it bandwidth=BYTES/s and latency=TIME";

bool is_option(const std::string& piece) { return piece.starts_with("bandwidth=") || piece.starts_with("latency="); }

/// What only tiers that store something have.
bool of_stores(const std::string& piece) {
  constexpr std::array names{"path", "faults", "url", "prefix", "connect", "timeout"};
  const std::string name = piece.substr(0, piece.find('='));
  return std::ranges::find(names, name) != names.end();
}

/// One tier as it was written, "dram=1GiB,bandwidth=2GB/s".
Expected<PlannedTier> tier_of(const std::string& text, const SimulatorPreset& preset) {
  const auto spec = parse_tier_option(text);
  if (!spec) return fail(spec.error().code, "--tier: " + spec.error().message);
  PlannedTier tier{spec->name, spec->capacity_bytes == 0 ? LruCache::unlimited : spec->capacity_bytes, {}};
  if (const PresetTier* known = preset.tier(spec->name)) tier.line = known->line;
  if (spec->bandwidth_bytes_per_second > 0)
    tier.line.seconds_per_token = preset.bytes_per_token / spec->bandwidth_bytes_per_second;
  if (text.find(",latency=") != std::string::npos) tier.line.base_seconds = spec->latency_seconds;
  return tier;
}

}  // namespace

Expected<std::vector<PlannedTier>> simulated_tiers(const std::vector<std::string>& texts,
                                                   const SimulatorPreset& preset) {
  std::vector<std::string> written;  // a tier with its options each
  for (const std::string& text : texts) {
    const std::size_t first = written.size();
    for (const std::string& piece : split_list(text)) {
      const bool behind = written.size() > first;
      const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::usage, "--tier: '" + printable(piece) + "'" +
                                          (behind ? " behind '" + printable(written.back()) + "'" : "") + ": " + why +
                                          "; " + allowed);
      };
      if (of_stores(piece)) return refuse("belongs to a tier that stores something, and nothing is stored here");
      if (is_option(piece)) {
        if (written.empty()) return refuse("stands before a tier");
        written.back() += "," + piece;
        continue;
      }
      if (behind)
        if (const auto next = parse_tier_option(piece); !next) return refuse("is neither an option nor the next tier");
      written.push_back(piece);
    }
  }
  if (written.empty()) return fail(ErrorCode::usage, std::string("--tier: is empty; ") + allowed);
  std::vector<PlannedTier> tiers;
  for (const std::string& text : written) {
    KV_ASSIGN(auto tier, tier_of(text, preset));
    if (std::ranges::find(tiers, tier.name, &PlannedTier::name) != tiers.end())
      return fail(ErrorCode::usage, "--tier: '" + printable(tier.name) + "' is there twice; give each tier once");
    tiers.push_back(std::move(tier));
  }
  std::string known;
  for (const PresetTier& tier : preset.tiers) known += (known.empty() ? "" : ", ") + tier.name;
  for (const PlannedTier& tier : tiers)
    if (preset.prefill && preset.tier(tier.name) == nullptr && tier.line.seconds_per_token <= 0)
      return fail(ErrorCode::usage, "--tier: preset " + preset.name + " has no times of '" + tier.name +
                                        "'; choose of " + (known.empty() ? "none" : known) +
                                        ", or give bandwidth=BYTES/s and latency=TIME");
  return tiers;
}

}  // namespace kvantage::cli
