#include "core/policy/eviction_cascade.h"

#include "core/policy/utility.h"

namespace kvantage::inline policy {

EvictionCascade::EvictionCascade(const Snapshot& snapshot, EvictionMemory& memory, Reasons reasons)
    : snapshot_(snapshot),
      memory_(memory),
      with_reasons_(reasons == Reasons::told),
      used_(snapshot.tiers.size(), 0),
      pinned_(snapshot.tiers.size(), 0) {
  targets_.reserve(snapshot.contexts.size());
  for (const ContextState& context : snapshot.contexts) {
    Target& target = targets_.emplace_back();
    if (!is_placed(snapshot, context)) continue;
    target.configuration = context.placement;
    target.bytes = context.stored_bytes;
    const auto tier = static_cast<std::size_t>(context.placement.tier);
    used_[tier] += context.stored_bytes;
    if (context.pinned) pinned_[tier] += context.stored_bytes;
  }
}

void EvictionCascade::insert(std::size_t index, const std::string& method, double removed_fraction,
                             const std::string& reason, std::size_t first_tier) {
  insert(index, {static_cast<int>(first_tier), method, removed_fraction},
         configuration_bytes(snapshot_, snapshot_.contexts[index], method, removed_fraction), reason);
}

void EvictionCascade::insert(std::size_t index, const Configuration& configuration, std::uint64_t bytes,
                             const std::string& reason) {
  remove(index);
  Target& target = targets_[index];
  target.configuration = configuration;
  target.configuration.tier = not_stored;
  target.bytes = bytes;
  enter(index, static_cast<std::size_t>(configuration.tier), reason);
}

void EvictionCascade::put(std::size_t index, const Configuration& configuration, const std::string& reason) {
  put(index, configuration, configuration_bytes(snapshot_, snapshot_.contexts[index], configuration), reason);
}

void EvictionCascade::put(std::size_t index, const Configuration& configuration, std::uint64_t bytes,
                          const std::string& reason) {
  remove(index);
  Target& target = targets_[index];
  target.configuration = configuration;
  target.bytes = bytes;
  target.reason = reason;
  place(index, configuration.tier);
}

void EvictionCascade::drop(std::size_t index, const std::string& reason) {
  remove(index);
  targets_[index].configuration = {};
  targets_[index].bytes = 0;
  targets_[index].reason = reason;
}

void EvictionCascade::shrink_to_budgets(std::size_t first_tier) {
  for (std::size_t tier = first_tier; tier < used_.size(); ++tier)
    while (used_[tier] > snapshot_.tiers[tier].budget_bytes && displace(tier)) {
    }
}

void EvictionCascade::remove(std::size_t index) {
  Target& target = targets_[index];
  memory_.leave(index);
  if (!target.configuration.stored()) return;
  used_[static_cast<std::size_t>(target.configuration.tier)] -= target.bytes;
  target.configuration.tier = not_stored;
}

void EvictionCascade::place(std::size_t index, int tier) {
  Target& target = targets_[index];
  target.configuration.tier = tier;
  if (tier == not_stored) return;
  used_[static_cast<std::size_t>(tier)] += target.bytes;
  memory_.enter(snapshot_, index, target.configuration, target.bytes);
}

void EvictionCascade::enter(std::size_t index, std::size_t first_tier, const std::string& reason) {
  targets_[index].reason = reason;
  const UnsignedWide bytes = targets_[index].bytes;
  for (std::size_t tier = first_tier; tier < used_.size(); ++tier) {
    const UnsignedWide budget = snapshot_.tiers[tier].budget_bytes;
    if (pinned_[tier] + bytes > budget) continue;  // no eviction could free enough space here
    memory_.announce(index, tier, targets_[index].bytes);
    const bool competes = memory_.newcomers_compete();
    if (competes) place(index, static_cast<int>(tier));
    while (used_[tier] + (competes ? 0 : bytes) > budget && displace(tier)) {
    }
    if (!competes) place(index, static_cast<int>(tier));
    return;
  }
  targets_[index].configuration = {};
  targets_[index].bytes = 0;
  if (with_reasons_) targets_[index].reason += "; it does not fit any lower tier";
}

bool EvictionCascade::displace(std::size_t tier) {
  const auto victim = memory_.evict(tier);
  if (!victim) return false;
  remove(*victim);
  enter(*victim, tier + 1,
        with_reasons_ ? std::string(memory_.order().victim_text) + "; " + snapshot_.tiers[tier].name + " is full"
                      : std::string());
  return true;
}

}  // namespace kvantage::inline policy
