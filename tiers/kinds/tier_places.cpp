#include "tiers/kinds/tier_places.h"

#include <map>
#include <string>

#include "tiers/kinds/tier_place.h"

namespace kvantage::inline kinds {

Status check_places(std::span<const TierConfig> tiers, const TierConfig& archive) {
  std::map<std::string, std::string> names;  // by place
  const auto check = [&names](const TierConfig& config) -> Status {
    const TierKind& kind = kind_of(config);
    const TierPlace& of_kind = place_of(kind);
    const std::string place = of_kind.where ? of_kind.where(config) : std::string();
    if (place.empty()) return {};
    const auto [found, added] = names.emplace(place, config.name);
    if (added) return {};
    return fail(ErrorCode::usage, "tier '" + config.name + "': is in " + place + ", and so is '" + found->second +
                                      "'; give each " + (kind.is_shared ? "a prefix" : "a folder") + " of its own");
  };
  for (const TierConfig& config : tiers) KV_TRY(check(config));
  return kind_of(archive).is_shared ? Status{} : check(archive);
}

}  // namespace kvantage::inline kinds
