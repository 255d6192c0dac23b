// Rebuilds the snapshot behind decisions from recorded events: placements, frequencies, costs, profiles.
#pragma once

#include <algorithm>

#include "core/policy/access_statistics.h"
#include "core/policy/types_json.h"
#include "core/ports/events.h"
#include "core/ports/recorded_snapshot.h"
#include "core/ports/tier_config.h"

namespace kvantage::inline report {

struct SnapshotFollower {
  Snapshot& snapshot;

  void operator()(const events::RequestFinished& e) {
    if (e.record.cancelled) return;
    if (const ContextState* context = find(e.record.context))
      note_request(snapshot, static_cast<std::size_t>(context - snapshot.contexts.data()), e.record.id);
  }
  void operator()(const events::ContextComputed& e) {
    if (ContextState* context = find(e.context)) context->archived = context->archived || e.archived;
  }
  void operator()(const events::ContextProfiled& e) {
    if (ContextState* context = find(e.context)) context->profile = std::make_shared<const ContextProfile>(e.profile);
  }
  void operator()(const events::PlacementCommitted& e) { place(e.action.context, e.action.to, e.action.bytes_after); }
  void operator()(const events::PlacementFailed& e) { place(e.action.context, e.left, e.action.bytes_before); }
  void operator()(const events::ReadFailed& e) {
    if (!e.dropped) return;
    if (role_of(e.tier) != TierRole::archive) return place(e.context, {}, 0);
    if (ContextState* context = find(e.context)) context->archived = false;
  }
  void operator()(const events::TierOccupancy& e) {
    const auto tier = std::ranges::find(snapshot.tiers, e.tier, &TierState::name);
    if (tier != snapshot.tiers.end()) tier->budget_bytes = e.budget_bytes;
  }
  void operator()(const events::TierFitted& e) {
    const auto tier = std::ranges::find(snapshot.tiers, e.tier, &TierState::name);
    if (tier != snapshot.tiers.end()) tier->throttled = e.throttled;
  }
  void operator()(const events::SettingChanged& e) {
    if (e.name == "alpha" && e.after.is_number()) snapshot.alpha = e.after.get<double>();
    if (e.name == "quality_bound") static_cast<void>(json_into(e.after, snapshot.candidates.quality_bound, e.name));
  }
  void operator()(const events::SnapshotTaken& e) { snapshot = snapshot_of(e); }
  void operator()(const events::CostsFitted& e) { use_costs(snapshot, e); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  ContextState* find(const Digest128& key) {
    const auto found = std::ranges::lower_bound(snapshot.contexts, key, {}, &ContextState::key);
    return found != snapshot.contexts.end() && found->key == key ? &*found : nullptr;
  }
  void place(const Digest128& key, const Configuration& to, std::uint64_t bytes) {
    ContextState* context = find(key);
    if (context == nullptr) return;
    context->placement = to;
    context->stored_bytes = to.stored() ? bytes : 0;
  }
};

}  // namespace kvantage::inline report
