// Converts a snapshot to its event form and back: the journal's record of all policy inputs.
#pragma once

#include <string>

#include "core/ports/events.h"

namespace kvantage::inline ports {

events::SnapshotTaken recorded_snapshot(const Snapshot& snapshot, std::string reason);
/// Version 0 and nothing pinned: both are transient and not recorded.
Snapshot snapshot_of(const events::SnapshotTaken& taken);
events::CostsFitted recorded_costs(const Snapshot& snapshot);
/// The tiers' models, prefill and question; tiers missing from the record are unchanged.
void use_costs(Snapshot& snapshot, const events::CostsFitted& costs);
bool same_costs(const events::CostsFitted& a, const events::CostsFitted& b);

}  // namespace kvantage::inline ports
