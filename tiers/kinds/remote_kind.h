// Tiers on a Redis or Valkey server, and their options.
#pragma once

#include "core/ports/tier_config.h"
#include "tiers/remote/redis_url.h"

namespace kvantage::inline kinds {

/// The server of a tier of kind remote, with the authorities of ca=. usage error; no password.
Expected<RedisUrl> server_url(const TierConfig& config);

}  // namespace kvantage::inline kinds
