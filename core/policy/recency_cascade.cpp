#include "core/policy/recency_cascade.h"

#include "core/policy/utility.h"

namespace kvantage {

RecencyCascade::RecencyCascade(const Snapshot& snapshot)
    : snapshot_(snapshot),
      used_(snapshot.tiers.size(), 0),
      pinned_(snapshot.tiers.size(), 0),
      oldest_(snapshot.tiers.size()),
      oldest_known_(snapshot.tiers.size(), false) {
  targets_.reserve(snapshot.contexts.size());
  for (const ContextState& context : snapshot.contexts) {
    const bool placed = is_placed(snapshot, context);
    targets_.push_back({placed ? context.placement : Configuration{}, placed ? context.stored_bytes : 0, 0, {}});
    if (!placed) continue;
    const auto tier = static_cast<std::size_t>(context.placement.tier);
    used_[tier] += context.stored_bytes;
    if (context.pinned) pinned_[tier] += context.stored_bytes;
  }
}

void RecencyCascade::insert(std::size_t index, const std::string& method, double removed_fraction,
                            const std::string& reason) {
  remove(index);
  Target& target = targets_[index];
  target.configuration.method = method;
  target.configuration.removed_fraction = removed_fraction;
  target.bytes = configuration_bytes(snapshot_.contexts[index], method, removed_fraction);
  enter(index, 0, reason);
}

void RecencyCascade::remake(std::size_t index, const std::string& method, double removed_fraction,
                            const std::string& reason) {
  Target& target = targets_[index];
  const int tier = target.configuration.tier;
  remove(index);
  target.configuration.method = method;
  target.configuration.removed_fraction = removed_fraction;
  target.bytes = configuration_bytes(snapshot_.contexts[index], method, removed_fraction);
  target.reason = reason;
  place(index, tier);
}

void RecencyCascade::shrink_to_budgets() {
  for (std::size_t tier = 0; tier < used_.size(); ++tier) {
    std::size_t index = 0;
    while (used_[tier] > snapshot_.tiers[tier].budget_bytes && oldest_of(tier, index)) {
      remove(index);
      enter(index, tier + 1, "least recently used on " + snapshot_.tiers[tier].name + ", which is full");
    }
  }
}

void RecencyCascade::remove(std::size_t index) {
  Target& target = targets_[index];
  if (!target.configuration.stored()) return;
  used_[static_cast<std::size_t>(target.configuration.tier)] -= target.bytes;
  target.configuration.tier = not_stored;
}

void RecencyCascade::place(std::size_t index, int tier) {
  Target& target = targets_[index];
  target.configuration.tier = tier;
  if (tier == not_stored) return;
  const auto t = static_cast<std::size_t>(tier);
  used_[t] += target.bytes;
  if (oldest_known_[t]) oldest_[t].push({snapshot_.contexts[index].last_access, index});
}

void RecencyCascade::enter(std::size_t index, std::size_t first_tier, const std::string& reason) {
  targets_[index].reason = reason;
  const UnsignedWide bytes = targets_[index].bytes;
  for (std::size_t tier = first_tier; tier < used_.size(); ++tier) {
    const UnsignedWide budget = snapshot_.tiers[tier].budget_bytes;
    if (pinned_[tier] + bytes > budget) continue;  // no eviction could make room for it here
    std::size_t victim = 0;
    while (used_[tier] + bytes > budget && oldest_of(tier, victim)) {
      remove(victim);
      enter(victim, tier + 1, "least recently used on " + snapshot_.tiers[tier].name + ", which is full");
    }
    place(index, static_cast<int>(tier));
    return;
  }
  targets_[index].configuration = {};
  targets_[index].bytes = 0;
  targets_[index].reason += "; no tier below has room for it";
}

bool RecencyCascade::oldest_of(std::size_t tier, std::size_t& index) {
  if (!oldest_known_[tier]) {
    for (std::size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i].configuration.tier == static_cast<int>(tier) && !snapshot_.contexts[i].pinned)
        oldest_[tier].push({snapshot_.contexts[i].last_access, i});
    oldest_known_[tier] = true;
  }
  while (!oldest_[tier].empty()) {
    index = oldest_[tier].top().index;
    oldest_[tier].pop();
    if (targets_[index].configuration.tier == static_cast<int>(tier)) return true;
  }
  return false;
}

}  // namespace kvantage
