// A snapshot as an event holds it, and back: the journal's form of everything that policies decide on.
#pragma once

#include <string>

#include "core/ports/events.h"

namespace kvantage {

events::SnapshotTaken recorded_snapshot(const Snapshot& snapshot, std::string reason);
/// Version 0 and nothing pinned: both belong to the moment, not to the record.
Snapshot snapshot_of(const events::SnapshotTaken& taken);
events::CostsFitted recorded_costs(const Snapshot& snapshot);
/// The tiers' models, prefill and question; tiers that the record has not stay as they are.
void use_costs(Snapshot& snapshot, const events::CostsFitted& costs);
bool same_costs(const events::CostsFitted& a, const events::CostsFitted& b);

}  // namespace kvantage
