#include "core/ports/tier_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/policy/types.h"
#include "core/ports/fault_plan.h"
#include "core/ports/known_tier_option.h"

namespace kvantage::inline ports {
namespace {

tl::unexpected<Error> refuse_tier(const std::string& reason) { return fail(ErrorCode::usage, reason); }

/// A slower tier would hold up whatever uses it for hours, and files of others may ask for it.
Status check_throttle(const TierThrottle& throttle) {
  const double bandwidth = throttle.bytes_per_second, latency = throttle.latency_seconds;
  if (!std::isfinite(bandwidth) || bandwidth < 0 || (bandwidth > 0 && bandwidth < min_tier_bandwidth))
    return refuse_tier("bandwidth (shaped_bytes_per_second): must be 0, for no limit, or at least " +
                       shortest_number(min_tier_bandwidth) + " bytes/s; it is " + shortest_number(bandwidth));
  if (!(latency >= 0 && latency <= max_tier_latency_seconds))
    return refuse_tier("latency (shaped_latency_seconds): must be 0 to " + shortest_number(max_tier_latency_seconds) +
                       " s; it is " + shortest_number(latency));
  const double load_per_prefill = throttle.load_per_prefill;
  if (load_per_prefill != 0 && !(load_per_prefill >= min_load_per_prefill && load_per_prefill <= max_load_per_prefill))
    return refuse_tier("bandwidth: loading must take " + shortest_number(min_load_per_prefill) + " to " +
                       shortest_number(max_load_per_prefill) + " of prefill's seconds; it is " +
                       shortest_number(load_per_prefill));
  if (load_per_prefill != 0 && bandwidth != 0)
    return refuse_tier("bandwidth: is given in bytes/s and relative to prefill; leave one out");
  return {};
}

/// What every tier may have, whatever its kind.
constexpr std::array<std::string_view, 4> own_fields{"bandwidth", "latency", "faults", "kind"};

const TierKind& default_kind() { return *std::ranges::find(tier_kinds(), true, &TierKind::is_default); }

// The option that implies `kind`, if `options` has one.
const TierOption* implying_option(const TierKind& kind, const std::map<std::string, std::string>& options) {
  for (const auto& [key, value] : options)
    if (const TierOption* option = kind.find_option(key);
        option != nullptr && option->implies_kind && value.starts_with(option->begins))
      return option;
  return nullptr;
}

const TierKind* owner_of(std::string_view key) {
  for (const TierKind& kind : tier_kinds())
    if (kind.find_option(key) != nullptr) return &kind;
  return nullptr;
}

tl::unexpected<Error> misfit(const TierConfig& config, const TierKind& kind, const std::string& key) {
  const TierKind* owner = owner_of(key);
  if (std::ranges::find(own_fields, key) != own_fields.end())
    return refuse_tier("'" + key + "' belongs to the tier itself, not to its options; write it beside them");
  if (owner == nullptr) return refuse_tier("unknown option '" + key + "'; " + known_tier_option(key));
  const TierOption* const implying = implying_option(kind, config.options);
  if (const std::string& reason = owner->find_option(key)->misfit; !reason.empty()) {
    // What tells how to add a server does not help a tier with one of another kind.
    if (implying == nullptr || implying->begins.empty()) return refuse_tier(reason);
    return refuse_tier(config.name + " is " + kind.place + " and has no " + key + "; write " + implying->form);
  }
  if (implying != nullptr && config.kind.empty())
    return refuse_tier("a tier has a " + key + " or a " + implying->key + ", not both; leave one out");
  return refuse_tier(config.name + " is " + kind.place + " and has no " + key + "; " +
                     (config.kind.empty() ? "name it " + owner->id : "leave it out, or write kind=" + owner->id));
}

// Waiting without limit for a dead server is not a valid timeout.
Status check_time(const std::string& key, const std::string& value) {
  const auto seconds = parse_duration(value);
  if (seconds && *seconds > 0) return {};
  return refuse_tier(key + " '" + printable(value) +
                     "': " + (seconds ? "zero leaves no time" : seconds.error().message) + "; write it like 2s");
}

}  // namespace

TierBudget TierBudget::of(std::uint64_t full_bytes) const {
  if (!is_percent()) return *this;
  const double bytes = percent_ / 100 * static_cast<double>(full_bytes);
  constexpr double largest = 9e18;  // still representable as a number of bytes
  return TierBudget(static_cast<std::uint64_t>(std::clamp(bytes, 1.0, largest)));
}

Expected<TierBudget> parse_budget(std::string_view text) {
  if (text == "unlimited") return TierBudget::unlimited();
  if (text.ends_with('%')) {
    const std::string_view digits = text.substr(0, text.size() - 1);
    double percent = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
    if (code != std::errc() || end != digits.data() + digits.size() ||
        !(percent > 0 && percent <= TierBudget::max_percent))
      return refuse_tier(
          "'" + printable(text) +
          "' is not a percentage above 0 and up to 1000000 of the workload's uncompressed KV; write it like 40%");
    return TierBudget::percent(percent);
  }
  KV_ASSIGN(const auto bytes, parse_bytes(text));
  if (bytes == 0) return refuse_tier("budget is zero; give the bytes that it may hold, or leave the tier out");
  return TierBudget(bytes);
}

std::string to_string(const TierBudget& budget) {
  if (budget.is_unlimited()) return "unlimited";
  if (budget.is_percent()) return shortest_number(budget.percent()) + "%";
  return budget.is_given() ? std::to_string(budget.bytes()) : std::string();
}

Expected<double> parse_load_per_prefill(std::string_view text) {
  constexpr std::string_view prefix = "prefill/";
  const std::string_view digits = text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view();
  double load = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), load);
  if (code != std::errc() || end != digits.data() + digits.size() ||
      !(load >= min_load_per_prefill && load <= max_load_per_prefill))
    return refuse_tier("'" + printable(text) + "' is not prefill/ and a number from " +
                       shortest_number(min_load_per_prefill) + " to " + shortest_number(max_load_per_prefill) +
                       "; write prefill/0.45 where loading takes 0.45 of the seconds that prefill takes");
  return load;
}

std::string load_per_prefill_text(double load_per_prefill) { return "prefill/" + shortest_number(load_per_prefill); }

const std::string& TierConfig::option(const std::string& key) const {
  static const std::string none;
  const auto found = options.find(key);
  return found == options.end() ? none : found->second;
}

TierRole role_of(std::string_view tier_name) {
  if (tier_name == archive_name) return TierRole::archive;
  return tier_name == prefill_source ? TierRole::prefill : TierRole::serving;
}

const TierKind* suggested_kind(std::string_view name) { return find_tier_kind(name); }

const TierKind& implied_kind(std::string_view name, const std::map<std::string, std::string>& options) {
  const TierKind* implied = nullptr;
  for (const TierKind& kind : tier_kinds())
    if (const TierOption* option = implying_option(kind, options);
        option != nullptr && (implied == nullptr || !option->begins.empty()))
      implied = &kind;
  if (implied != nullptr) return *implied;
  if (const TierKind* named = suggested_kind(name); named != nullptr && named->implied_by_name) return *named;
  return default_kind();
}

const TierKind& kind_of(const TierConfig& config) {
  const TierKind* given = config.kind.empty() ? nullptr : find_tier_kind(config.kind);
  return given != nullptr ? *given : implied_kind(config.name, config.options);
}

std::string known_tier_option(std::string_view key) {
  std::vector<std::string_view> names(own_fields.begin(), own_fields.end());
  for (const TierKind& kind : tier_kinds())
    for (const TierOption& option : kind.options)
      if (std::ranges::find(names, option.key) == names.end()) names.emplace_back(option.key);  // kinds may share one
  return did_you_mean(key, names, "known are " + known_tier_options());
}

std::string known_tier_options() {
  const auto keys = [](const TierKind& kind) {
    std::string list;
    for (const TierOption& option : kind.options) list += (list.empty() ? "" : ", ") + option.key;
    return list;
  };
  std::string known = keys(default_kind()) + ", bandwidth, latency, faults, kind";
  for (const TierKind& kind : tier_kinds())
    if (!kind.is_default && !kind.options.empty()) known += ", and " + keys(kind) + " of " + kind.noun;
  return known;
}

Status check_tier(const TierConfig& config) {
  if (!config.kind.empty() && find_tier_kind(config.kind) == nullptr) {
    std::string ids;
    for (const TierKind& known : tier_kinds()) ids += (ids.empty() ? "" : ", ") + known.id;
    return refuse_tier("unknown kind '" + printable(config.kind) + "'; " +
                       did_you_mean(config.kind, tier_kinds(), "write kind= and one of " + ids, &TierKind::id));
  }
  const TierKind& kind = kind_of(config);
  for (const auto& [key, value] : config.options) {
    const TierOption* option = kind.find_option(key);
    if (option == nullptr) return misfit(config, kind, key);
    if (option->is_time) KV_TRY(check_time(key, value));
  }
  KV_TRY(check_throttle(config.throttle));
  KV_ASSIGN(const auto faults, parse_faults(config.faults));
  if (faults.plan.any() && !kind.supports_fault_injection())
    return refuse_tier("faults apply to files, and " + kind.noun + " has none; give them to a tier in a folder, like " +
                       default_kind().id);
  return {};
}

std::vector<std::string> resolve_budgets(std::vector<TierConfig>& tiers, std::uint64_t full_bytes) {
  std::vector<std::string> lines;
  for (TierConfig& tier : tiers) {
    if (!tier.budget.is_percent()) continue;
    const TierBudget bytes = tier.budget.of(full_bytes);
    lines.push_back("tier " + tier.name + ": " + to_string(tier.budget) + " of the workload's " +
                    format_bytes(full_bytes) + " of uncompressed KV is " + format_bytes(bytes.bytes()));
    tier.budget = bytes;
  }
  return lines;
}

std::vector<std::string> resolve_bandwidths(std::vector<TierConfig>& tiers, const Snapshot& snapshot) {
  std::vector<std::string> lines;
  const PrefillModel& prefill = snapshot.undisturbed_prefill();
  double kv_bytes = 0, tokens = 0, prefill_seconds = 0;
  for (const ContextState& context : snapshot.contexts) {
    kv_bytes += static_cast<double>(context.full_bytes);
    tokens += context.tokens;
    prefill_seconds += prefill.seconds(context.tokens);
  }
  for (std::size_t t = 0; t < tiers.size() && t < snapshot.tiers.size(); ++t) {
    TierThrottle& throttle = tiers[t].throttle;
    if (!throttle.is_relative()) continue;
    const TierModel& fit = snapshot.tiers[t].model;
    const double wanted = throttle.load_per_prefill * prefill_seconds;
    const double beside =
        fit.latency_seconds * static_cast<double>(snapshot.contexts.size()) + fit.decode_seconds_per_token * tokens;
    const std::string name = "tier " + tiers[t].name + ": " + load_per_prefill_text(throttle.load_per_prefill);
    throttle.load_per_prefill = 0;
    throttle.bytes_per_second = 0;
    // Of its bytes alone; without a throttle they take kv_bytes / fit.bytes_per_second.
    const double transfer = wanted - beside;
    if (!(transfer > 0) || !(kv_bytes / transfer <= fit.bytes_per_second)) {
      lines.push_back(name + " is faster than this tier is by itself; it runs at full speed");
      continue;
    }
    throttle.bytes_per_second = std::max(kv_bytes / transfer, min_tier_bandwidth);
    lines.push_back(name + " of prefilling " + format_bytes(static_cast<std::uint64_t>(kv_bytes)) + " in " +
                    format_seconds(prefill_seconds) + " is " +
                    format_bytes(static_cast<std::uint64_t>(throttle.bytes_per_second)) + "/s");
  }
  return lines;
}

}  // namespace kvantage::inline ports
