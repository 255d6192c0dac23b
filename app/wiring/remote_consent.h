// Consent for servers named in files: no connection before the user agrees.
#pragma once

#include <string>
#include <vector>

#include "app/wiring/session_tiers.h"

namespace kvantage::inline wiring {

/// The user's consent.
struct RemoteConsent {
  UrlSource tier_source = UrlSource::user;  // of --tier texts: a sweep's worker gets them from a server
  std::vector<std::string> allowed;         // HOST or HOST:PORT, as after --allow-remote
};

/// HOST:PORT of each tier whose url comes from a file and is not allowed; of a cluster or Sentinels each HOST, as they
/// may name any port there. Without duplicates, in tier order.
std::vector<std::string> remotes_to_ask(const ChosenTiers& chosen, const RemoteConsent& consent);

/// rejected_input names the first of them and how to allow it.
Status check_consent(const ChosenTiers& chosen, const RemoteConsent& consent);

}  // namespace kvantage::inline wiring
