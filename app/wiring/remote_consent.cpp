#include "app/wiring/remote_consent.h"

#include <algorithm>

#include "tiers/kinds/tier_place.h"

namespace kvantage::inline wiring {
namespace {

std::string address_of(const ServerAddress& server) {
  const std::string host = host_key(server.host);
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return server.port == 0 ? shown : shown + ":" + std::to_string(server.port);
}

bool allows(const std::string& word, const ServerAddress& server) {
  const std::string wanted = host_key(word), host = host_key(server.host);
  return wanted == host || wanted == "[" + host + "]" || wanted == address_of(server);
}

struct UnaskedTier {
  std::string name, address;  // HOST:PORT, or HOST
};

std::vector<UnaskedTier> unasked(const ChosenTiers& chosen, const RemoteConsent& consent) {
  std::vector<UnaskedTier> tiers;
  const auto look_at = [&](const TierConfig& config, UrlSource source) {
    const TierKind& kind = kind_of(config);
    if (!kind.needs_consent() || source == UrlSource::user) return;
    const TierPlace& place = place_of(kind);
    if (!place.servers) return;
    for (const ServerAddress& server : place.servers(config))
      if (std::ranges::none_of(consent.allowed, [&server](const std::string& word) { return allows(word, server); }))
        tiers.push_back({config.name, address_of(server)});
  };
  for (const TierConfig& config : chosen.tiers) look_at(config, chosen.source);
  look_at(chosen.archive, chosen.archive_source);
  return tiers;
}

}  // namespace

std::vector<std::string> remotes_to_ask(const ChosenTiers& chosen, const RemoteConsent& consent) {
  std::vector<std::string> addresses;
  for (const UnaskedTier& tier : unasked(chosen, consent))
    if (std::ranges::find(addresses, tier.address) == addresses.end()) addresses.push_back(tier.address);
  return addresses;
}

Status check_consent(const ChosenTiers& chosen, const RemoteConsent& consent) {
  const auto tiers = unasked(chosen, consent);
  if (tiers.empty()) return {};
  return fail(ErrorCode::rejected_input, "tier '" + tiers.front().name +
                                             "': a file names its server, and you did not; if you trust it, add " +
                                             "--allow-remote " + tiers.front().address);
}

}  // namespace kvantage::inline wiring
