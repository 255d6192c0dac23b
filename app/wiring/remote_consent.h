// Servers that a file names: nobody connects to them before the user has said so.
#pragma once

#include <string>
#include <vector>

#include "app/wiring/session_tiers.h"

namespace kvantage {

/// What the user has allowed.
struct RemoteConsent {
  UrlSource tier_source = UrlSource::user;  // of the texts after --tier: a sweep's worker has them from a server
  std::vector<std::string> allowed;         // HOST or HOST:PORT, as after --allow-remote
};

/// HOST:PORT of each tier whose url comes from a file and is not allowed; each once, in the order of the tiers.
std::vector<std::string> remotes_to_ask(const ChosenTiers& chosen, const RemoteConsent& consent);

/// rejected_input names the first of them and how to allow it.
Status check_consent(const ChosenTiers& chosen, const RemoteConsent& consent);

}  // namespace kvantage
