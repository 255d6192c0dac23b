// Turns a target assignment into actions, ordered so that no tier ever exceeds its budget. Evictions and shrinking come
// first, then whatever fits. When contexts wait for each other's space (a swap between two full tiers), one of them is
// evicted and restored at the end from its archived original.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/types.h"

namespace kvantage::inline policy {

/// Target placement of one context, and why.
struct Target {
  Configuration configuration;
  std::uint64_t bytes = 0;  // 0 when not stored
  double utility_drop = 0;
  std::string reason;
};

/// Index of the context with this key (contexts are sorted by key), or nothing.
std::optional<std::size_t> find_context(const Snapshot& snapshot, const Digest128& key);

/// Stored bytes per tier; placements without a valid tier are not counted.
std::vector<std::uint64_t> used_bytes(const Snapshot& snapshot);
/// Whether any tier exceeds its budget.
bool over_budget(const Snapshot& snapshot);

/// The kind of change from one configuration to another; `grows`: more bytes than before.
ActionKind kind_of(const Configuration& from, const Configuration& to, bool grows);

/// Ordered actions that turn the present placements into `targets` (parallel to the contexts). Pinned contexts are
/// untouched; a context without an archived original can only move unchanged or be evicted. A tier that starts above
/// its budget never grows. A change without space is left out.
std::vector<PlacementAction> ordered_actions(const Snapshot& snapshot, const std::vector<Target>& targets);

/// Applies a completed action: placement and stored bytes of its context. `real_bytes`: as measured, if known.
void apply(Snapshot& snapshot, const PlacementAction& action, std::optional<std::uint64_t> real_bytes = {});

}  // namespace kvantage::inline policy
