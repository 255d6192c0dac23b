#include "app/cli/simulate/simulate_tiers.h"

#include <algorithm>

#include "app/cli/session_options.h"
#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/trace/lru_cache.h"
#include "tiers/kinds/tier_text.h"

namespace kvantage::cli {
namespace {

constexpr const char* allowed = "write a simulated tier as NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME]";

bool is_option(const std::string& piece) { return piece.starts_with("bandwidth=") || piece.starts_with("latency="); }

/// Options of tiers with real storage.
bool of_stores(const std::string& piece) {
  const std::string name = piece.substr(0, piece.find('='));
  return name == "faults" || name == "kind" || find_tier_option(name) != nullptr;
}

/// Parses one tier, "dram=1GiB,bandwidth=2GB/s".
Expected<PlannedTier> tier_of(const TierConfig& config, const std::string& text, const SimulatorPreset& preset) {
  static_assert(TierBudget::unlimited_bytes == LruCache::unlimited);
  PlannedTier tier{config.name, config.budget.bytes(), {}};
  if (const PresetTier* known = preset.tier(config.name)) tier.line = known->line;
  if (config.throttle.bytes_per_second > 0) {
    tier.line.seconds_per_token = preset.bytes_per_token / config.throttle.bytes_per_second;
    tier.line.restore_seconds_per_token = 0;
  }
  if (config.throttle.is_relative()) {
    if (!preset.prefill)
      return fail(ErrorCode::usage, "--tier " + config.name + ": preset " + preset.name +
                                        " has no prefill time for a relative bandwidth; give it in bytes/s");
    tier.line.seconds_per_token = config.throttle.load_per_prefill * preset.prefill->seconds_per_token;
    tier.line.restore_seconds_per_token = 0;
  }
  if (text.find(",latency=") != std::string::npos) tier.line.base_seconds = config.throttle.latency_seconds;
  return tier;
}

}  // namespace

Expected<std::vector<PlannedTier>> simulated_tiers(const std::vector<std::string>& texts, const SimulatorPreset& preset,
                                                   const std::function<Expected<std::uint64_t>()>& full_bytes) {
  std::vector<std::string> written;  // each tier with its options
  for (const std::string& text : texts) {
    const std::size_t first = written.size();
    for (const std::string& piece : split_list(text)) {
      const bool behind = written.size() > first;
      const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::usage, "--tier: '" + printable(piece) + "'" +
                                          (behind ? " after '" + printable(written.back()) + "'" : "") + ": " + why +
                                          "; " + allowed);
      };
      if (of_stores(piece)) return refuse("belongs to a tier with real storage, which simulations do not have");
      if (is_option(piece)) {
        if (written.empty()) return refuse("comes before a tier");
        written.back() += "," + piece;
        continue;
      }
      if (behind)
        if (const auto next = parse_tier_option(piece); !next) return refuse("is neither an option nor the next tier");
      written.push_back(piece);
    }
  }
  if (written.empty()) return fail(ErrorCode::usage, std::string("--tier: is empty; ") + allowed);
  std::vector<TierConfig> configs;
  for (const std::string& text : written) {
    auto config = parse_tier_option(text);
    if (!config) return fail(config.error().code, "--tier: " + config.error().message);
    configs.push_back(std::move(*config));
  }
  if (std::ranges::any_of(configs, [](const TierConfig& config) { return config.budget.is_percent(); })) {
    KV_ASSIGN(const auto bytes, full_bytes());
    resolve_budgets(configs, bytes);
  }
  std::vector<PlannedTier> tiers;
  for (std::size_t t = 0; t < configs.size(); ++t) {
    KV_ASSIGN(auto tier, tier_of(configs[t], written[t], preset));
    if (std::ranges::find(tiers, tier.name, &PlannedTier::name) != tiers.end())
      return fail(ErrorCode::usage, "--tier: '" + printable(tier.name) + "' is given twice; give each tier once");
    tiers.push_back(std::move(tier));
  }
  for (const PlannedTier& tier : tiers)
    if (preset.prefill && preset.tier(tier.name) == nullptr && tier.line.seconds_per_token <= 0)
      return fail(ErrorCode::usage,
                  "--tier: preset " + preset.name + " has no timings of '" + tier.name +
                      "'; give bandwidth=BYTES/s and latency=TIME, or " +
                      (preset.tiers.empty() ? std::string("another preset")
                                            : did_you_mean(tier.name, preset.tiers, {}, &PresetTier::name)));
  return tiers;
}

}  // namespace kvantage::cli
