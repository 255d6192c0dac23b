#include "app/wiring/remote_consent.h"

#include <algorithm>

namespace kvantage {
namespace {

std::string address_of(const RedisUrl& url) {
  const std::string host = host_key(url.host);
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(url.port);
}

bool allows(const std::string& word, const RedisUrl& url) {
  const std::string wanted = host_key(word), host = host_key(url.host);
  return wanted == host || wanted == "[" + host + "]" || wanted == address_of(url);
}

std::vector<const TierSpec*> unasked(const ChosenTiers& chosen, const RemoteConsent& consent) {
  std::vector<const TierSpec*> specs;
  const auto look_at = [&](const TierSpec& spec) {
    if (!spec.remote() || spec.url_source == UrlSource::user) return;
    if (std::ranges::none_of(consent.allowed, [&spec](const std::string& word) { return allows(word, *spec.url); }))
      specs.push_back(&spec);
  };
  for (const TierSpec& spec : chosen.tiers) look_at(spec);
  look_at(chosen.archive);
  return specs;
}

}  // namespace

std::vector<std::string> remotes_to_ask(const ChosenTiers& chosen, const RemoteConsent& consent) {
  std::vector<std::string> addresses;
  for (const TierSpec* spec : unasked(chosen, consent))
    if (const std::string address = address_of(*spec->url); std::ranges::find(addresses, address) == addresses.end())
      addresses.push_back(address);
  return addresses;
}

Status check_consent(const ChosenTiers& chosen, const RemoteConsent& consent) {
  const auto specs = unasked(chosen, consent);
  if (specs.empty()) return {};
  return fail(ErrorCode::rejected_input, "tier '" + specs.front()->name +
                                             "': a file names its server, and you did not; if you trust it, add " +
                                             "--allow-remote " + address_of(*specs.front()->url));
}

}  // namespace kvantage
