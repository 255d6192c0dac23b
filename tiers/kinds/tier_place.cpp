#include "tiers/kinds/tier_place.h"

#include <map>

#include "core/ports/fault_plan.h"
#include "tiers/faulty_tier.h"
#include "tiers/throttled_tier.h"
#include "tiers/uring_device.h"

namespace kvantage::inline kinds {

// Each is defined in the file of its kind.
#define KVANTAGE_TIER_KIND(name, ...) TierPlace name##_tier_place();
#include "core/ports/tier_kinds.inl"
#undef KVANTAGE_TIER_KIND

namespace {

std::map<std::string, TierPlace, std::less<>>& place_registry() {
  static std::map<std::string, TierPlace, std::less<>> places = [] {
    std::map<std::string, TierPlace, std::less<>> rows;
#define KVANTAGE_TIER_KIND(name, ...) rows.emplace(#name, name##_tier_place());
#include "core/ports/tier_kinds.inl"
#undef KVANTAGE_TIER_KIND
    return rows;
  }();
  return places;
}

// Faults are injected once it is open.
OpenedTier open_with_faults(const TierConfig& config, const InjectedFaults& faults, OpenTierOptions options) {
  const auto device = std::make_shared<FaultyDevice>(options.executor.clock(),
                                                     options.device != nullptr ? options.device : make_file_device(),
                                                     faults.seed, FaultPlan{}, PowerCuts::never);
  options.device = device;
  KV_ASSIGN(auto tier, place_of(kind_of(config)).open(config, options));
  auto faulty = std::make_unique<FaultyTier>(std::move(tier), device);
  faulty->inject(faults);
  return faulty;
}

}  // namespace

const TierPlace& place_of(const TierKind& kind) { return place_registry().at(kind.id); }

Status register_tier_kind(TierKind kind, TierPlace place) {
  const std::string id = kind.id;
  if (!place.open) return fail(ErrorCode::usage, "tier kind '" + id + "': nothing opens it; give open");
  KV_TRY(add_tier_kind(std::move(kind)));
  place_registry().emplace(id, std::move(place));
  return {};
}

Status check_place(const TierConfig& config) {
  KV_TRY(check_tier(config));
  const TierPlace& place = place_of(kind_of(config));
  return place.check ? place.check(config) : Status{};
}

std::string password_home(const TierConfig& config) {
  const TierPlace& place = place_of(kind_of(config));
  return place.password_home ? place.password_home(config) : std::string();
}

std::string local_part(const TierConfig& config) {
  for (const auto& [key, value] : config.options)
    if (const TierOption* option = find_tier_option(key); option != nullptr && option->is_local) return key + "=";
  const TierPlace& place = place_of(kind_of(config));
  return place.local_part ? place.local_part(config) : std::string();
}

TierConfig recorded_form(TierConfig config) {
  const TierKind& kind = kind_of(config);
  if (const TierPlace& place = place_of(kind); place.hide) place.hide(config);
  std::erase_if(config.options, [&kind](const auto& option) {
    const TierOption* known = kind.find_option(option.first);
    return known == nullptr || known->is_local;
  });
  return config;
}

OpenedTier open_tier(const TierConfig& config, const OpenTierOptions& options) {
  if (const Status sound = check_place(config); !sound)
    return fail(sound.error().code, "tier '" + config.name + "': " + sound.error().message);
  KV_ASSIGN(const auto faults, parse_faults(config.faults));
  OpenedTier tier =
      faults.plan.any() ? open_with_faults(config, faults, options) : place_of(kind_of(config)).open(config, options);
  if (!tier || !config.throttle.any()) return tier;
  return std::make_unique<ThrottledTier>(std::move(*tier),
                                         TierLimits{config.throttle.bytes_per_second, config.throttle.latency_seconds});
}

}  // namespace kvantage::inline kinds
