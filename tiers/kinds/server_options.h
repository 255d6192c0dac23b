// Options that tiers on servers have in common: ca=, seal_key_file=, connect=, timeout=.
#pragma once

#include <memory>
#include <string>

#include "core/ports/tier_config.h"
#include "tiers/remote/entry_seal.h"

namespace kvantage::inline kinds {

/// The file of ca=, into `authorities` if there is one. usage error: it is empty, or the url is without TLS
/// (`without_tls` says so).
Status read_authorities(const TierConfig& config, bool tls, const std::string& without_tls, std::string& authorities);

/// usage error for an empty seal_key_file=.
Status check_seal_key_file(const TierConfig& config);

/// The key in the file of seal_key_file=; null without one. The error names the tier.
Expected<std::shared_ptr<const SealKey>> read_seal_key(const TierConfig& config);

/// Duration of a checked option; `otherwise` if missing.
double option_seconds(const TierConfig& config, const char* key, double otherwise);

}  // namespace kvantage::inline kinds
