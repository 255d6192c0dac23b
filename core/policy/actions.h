// From a target assignment to actions: what changes, in an order in which no tier is above its budget at any point.
// Evictions and shrinking come first, then whatever fits; when contexts wait for each other's room (an exchange between
// two full tiers), one of them is evicted and stored again at the end, which its archived original makes possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/types.h"

namespace kvantage {

/// Where one context shall go, and why.
struct Target {
  Configuration configuration;
  std::uint64_t bytes = 0;  // 0 when not stored
  double utility_drop = 0;
  std::string reason;
};

/// Index of the context with this key (contexts ascend by key), or nothing.
std::optional<std::size_t> find_context(const Snapshot& snapshot, const Digest128& key);

/// Stored bytes per tier; placements that name no tier count nowhere.
std::vector<std::uint64_t> used_bytes(const Snapshot& snapshot);
/// Whether some tier holds more than its budget.
bool over_budget(const Snapshot& snapshot);

/// The kind of change from one configuration to another; `grows`: more bytes than before.
ActionKind kind_of(const Configuration& from, const Configuration& to, bool grows);

/// Ordered actions that turn the present placements into `targets` (parallel to the contexts). Pinned contexts are left
/// alone; a context without an archived original only moves, unchanged, or is evicted. A tier that starts above its
/// budget never grows. A change that finds no room is left out.
std::vector<PlacementAction> ordered_actions(const Snapshot& snapshot, const std::vector<Target>& targets);

/// Books a carried-out action: placement and stored bytes of its context. `real_bytes`: as measured, if known.
void apply(Snapshot& snapshot, const PlacementAction& action, std::optional<std::uint64_t> real_bytes = {});

}  // namespace kvantage
