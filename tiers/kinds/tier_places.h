// Tiers of one session need separate places: each owns everything in its place, so two in one place would erase each
// other's entries.
#pragma once

#include <span>

#include "core/ports/tier_config.h"

namespace kvantage::inline kinds {

/// usage error that names both tiers when two use one folder, or one server, database and prefix. Compared as text: two
/// names of one host are two places here. An archive on a server is always separate from tiers.
Status check_places(std::span<const TierConfig> tiers, const TierConfig& archive);

}  // namespace kvantage::inline kinds
