// Tiers of one session lie in places of their own: each believes that what it finds there is its own, so two in one
// place would erase each other's entries.
#pragma once

#include <span>

#include "core/ports/tier_config.h"

namespace kvantage {

/// usage error that names both tiers when two of them are one folder, or one server, database and prefix. Known by what
/// is written: two names of one host are two places here. An archive on a server keeps apart from tiers by itself.
Status check_places(std::span<const TierConfig> tiers, const TierConfig& archive);

}  // namespace kvantage
