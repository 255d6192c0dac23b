#include "core/policy/eviction_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {
constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();
}

EvictionMemory::EvictionMemory(const EvictionMemory& other)
    : order_(other.order_),
      traits_(other.traits_),
      known_(other.known_),
      slots_(other.slots_),
      indices_(other.indices_),
      pinned_(other.pinned_) {
  for (const auto& order : other.orders_) orders_.push_back(order->clone());
}

void EvictionMemory::follow(const Snapshot& snapshot) {
  map_contexts(snapshot);
  for (std::size_t t = orders_.size(); t > snapshot.tiers.size(); --t)
    for (Known& known : known_)
      if (known.tier == static_cast<int>(t - 1)) known.tier = not_stored;
  orders_.resize(std::min(orders_.size(), snapshot.tiers.size()));
  while (orders_.size() < snapshot.tiers.size()) orders_.push_back(order_->make());
  for (std::size_t t = 0; t < orders_.size(); ++t) orders_[t]->set_capacity(snapshot.tiers[t].budget_bytes);

  std::vector<std::size_t> arrived;
  for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
    const ContextState& context = snapshot.contexts[i];
    Known& known = known_[slots_[i]];
    pinned_[slots_[i]] = context.pinned;
    const int tier = is_placed(snapshot, context) ? context.placement.tier : not_stored;
    if (tier != known.tier) {
      if (known.tier != not_stored) orders_[static_cast<std::size_t>(known.tier)]->leave(slots_[i]);
      known.tier = not_stored;
      if (tier != not_stored) arrived.push_back(i);
    }
    if (tier == not_stored) known.requests = 0;
  }
  // Arrivals that this memory did not see are ordered by their last use, the best guess.
  std::sort(arrived.begin(), arrived.end(), [&](std::size_t a, std::size_t b) {
    return snapshot.contexts[a].last_access != snapshot.contexts[b].last_access
               ? snapshot.contexts[a].last_access < snapshot.contexts[b].last_access
               : a < b;
  });
  for (const std::size_t i : arrived) {
    Known& known = known_[slots_[i]];
    const double frequency = snapshot.contexts[i].frequency;
    if (known.requests == 0)
      known.requests =
          std::isfinite(frequency) && frequency > 1 ? static_cast<std::uint64_t>(std::min(frequency, 1e15)) : 1;
    enter(snapshot, i, snapshot.contexts[i].placement, snapshot.contexts[i].stored_bytes);
  }
}

void EvictionMemory::map_contexts(const Snapshot& snapshot) {
  const auto& contexts = snapshot.contexts;
  bool same = slots_.size() == contexts.size();
  for (std::size_t i = 0; same && i < contexts.size(); ++i) same = known_[slots_[i]].key == contexts[i].key;
  if (same) return;
  std::vector<Slot> by_key(known_.size());
  for (Slot slot = 0; slot < by_key.size(); ++slot) by_key[slot] = slot;
  std::sort(by_key.begin(), by_key.end(), [this](Slot a, Slot b) { return known_[a].key < known_[b].key; });
  slots_.clear();
  indices_.assign(known_.size(), no_index);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const auto found = std::lower_bound(by_key.begin(), by_key.end(), contexts[i].key,
                                        [this](Slot slot, const Digest128& key) { return known_[slot].key < key; });
    const bool is_known = found != by_key.end() && known_[*found].key == contexts[i].key;
    const Slot slot = is_known ? *found : static_cast<Slot>(known_.size());
    if (!is_known) {
      known_.push_back({contexts[i].key});
      indices_.push_back(no_index);
    }
    slots_.push_back(slot);
    indices_[slot] = i;
  }
  pinned_.assign(known_.size(), false);
  for (Slot slot = 0; slot < known_.size(); ++slot) {
    Known& gone = known_[slot];
    if (indices_[slot] != no_index || gone.tier == not_stored) continue;
    orders_[static_cast<std::size_t>(gone.tier)]->leave(slot);
    gone.tier = not_stored;
    gone.requests = 0;
  }
}

void EvictionMemory::touch(const Snapshot& snapshot, std::size_t index) {
  Known& known = known_[slots_[index]];
  if (known.tier == not_stored) return;
  ++known.requests;
  const ContextState& context = snapshot.contexts[index];
  orders_[static_cast<std::size_t>(known.tier)]->touch(slots_[index],
                                                       facts(snapshot, index, context.placement, context.stored_bytes));
}

void EvictionMemory::leave(std::size_t index) {
  Known& known = known_[slots_[index]];
  if (known.tier != not_stored) orders_[static_cast<std::size_t>(known.tier)]->leave(slots_[index]);
  known.tier = not_stored;
}

void EvictionMemory::enter(const Snapshot& snapshot, std::size_t index, const Configuration& configuration,
                           std::uint64_t bytes) {
  Known& known = known_[slots_[index]];
  known.requests = std::max<std::uint64_t>(known.requests, 1);
  known.tier = configuration.tier;
  orders_[static_cast<std::size_t>(known.tier)]->enter(slots_[index], facts(snapshot, index, configuration, bytes));
}

std::optional<std::size_t> EvictionMemory::evict(std::size_t tier) {
  const auto slot = orders_[tier]->evict(pinned_);
  if (!slot) return std::nullopt;
  known_[*slot].tier = not_stored;
  return indices_[*slot];
}

EntryFacts EvictionMemory::facts(const Snapshot& snapshot, std::size_t index, const Configuration& configuration,
                                 std::uint64_t bytes) const {
  const ContextState& context = snapshot.contexts[index];
  EntryFacts facts{bytes, context.last_access, known_[slots_[index]].requests, context.frequency, 0, 0};
  if (traits_.reads_gain)
    facts.seconds_saved = std::max(0.0, predict(snapshot, context, {}, 1).ttft_seconds -
                                            predict(snapshot, context, configuration, 1).ttft_seconds);
  if (traits_.reads_tokens) {
    const ProfilePoint* point = find_point(context, configuration.method, configuration.removed_fraction);
    facts.kept_tokens = point != nullptr ? point->kept_tokens : context.tokens * (1 - configuration.removed_fraction);
  }
  return facts;
}

std::shared_ptr<EvictionMemory> take_eviction_memory(PolicyState& state, const EvictionOrderInfo& order) {
  auto memory = std::dynamic_pointer_cast<EvictionMemory>(std::exchange(state.memory, nullptr));
  if (!memory || memory->order().name != order.name) return std::make_shared<EvictionMemory>(order);
  return memory.use_count() == 1 ? memory : std::make_shared<EvictionMemory>(*memory);
}

}  // namespace kvantage::inline policy
