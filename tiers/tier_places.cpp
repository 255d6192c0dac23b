#include "tiers/tier_places.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "tiers/redis_store.h"

namespace kvantage {
namespace {

std::string place_of(const TierSpec& spec) {
  if (!spec.remote()) {
    if (spec.path.empty()) return {};  // a folder of its own name
    std::error_code ignored;
    const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(spec.path, ignored), ignored);
    return (whole.has_filename() ? whole : whole.parent_path()).string();
  }
  RedisUrl url = *spec.url;
  url.user.clear();  // another account sees the same keys
  url.authorities.clear();
  std::ranges::transform(url.host, url.host.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return url.shown() + " with prefix " + (spec.prefix.empty() ? RedisStoreOptions{}.prefix : spec.prefix);
}

}  // namespace

Status check_places(std::span<const TierSpec> tiers, const TierSpec& archive) {
  std::map<std::string, std::string> names;  // by place
  const auto check = [&names](const TierSpec& spec) -> Status {
    const std::string place = place_of(spec);
    if (place.empty()) return {};
    const auto [found, added] = names.emplace(place, spec.name);
    if (added) return {};
    return fail(ErrorCode::usage, "tier '" + spec.name + "': lies in " + place + ", and so does '" + found->second +
                                      "'; give each " + (spec.remote() ? "a prefix" : "a folder") + " of its own");
  };
  for (const TierSpec& spec : tiers) KV_TRY(check(spec));
  return archive.remote() ? Status{} : check(archive);
}

}  // namespace kvantage
