#include "core/policy/actions.h"

#include <algorithm>
#include <limits>

#include "core/base/random.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

std::optional<std::size_t> find_context(const Snapshot& snapshot, const Digest128& key) {
  const auto found = std::lower_bound(snapshot.contexts.begin(), snapshot.contexts.end(), key,
                                      [](const ContextState& context, const Digest128& k) { return context.key < k; });
  if (found == snapshot.contexts.end() || found->key != key) return {};
  return static_cast<std::size_t>(found - snapshot.contexts.begin());
}

namespace {
// Wide, so that sums of sizes near 2^64 do not wrap around.
std::vector<UnsignedWide> exact_used_bytes(const Snapshot& snapshot) {
  std::vector<UnsignedWide> used(snapshot.tiers.size(), 0);
  for (const ContextState& context : snapshot.contexts)
    if (is_placed(snapshot, context)) used[static_cast<std::size_t>(context.placement.tier)] += context.stored_bytes;
  return used;
}
}  // namespace

std::vector<std::uint64_t> used_bytes(const Snapshot& snapshot) {
  std::vector<std::uint64_t> used;
  for (const UnsignedWide sum : exact_used_bytes(snapshot))
    used.push_back(static_cast<std::uint64_t>(std::min<UnsignedWide>(sum, std::numeric_limits<std::uint64_t>::max())));
  return used;
}

bool over_budget(const Snapshot& snapshot) {
  const auto used = exact_used_bytes(snapshot);
  for (std::size_t t = 0; t < used.size(); ++t)
    if (used[t] > snapshot.tiers[t].budget_bytes) return true;
  return false;
}

ActionKind kind_of(const Configuration& from, const Configuration& to, bool grows) {
  if (!to.stored()) return ActionKind::evict;
  if (!from.stored()) return ActionKind::store;
  if (to.tier != from.tier) return to.tier > from.tier ? ActionKind::demote : ActionKind::promote;
  return grows ? ActionKind::promote : ActionKind::compress;
}

namespace {

__extension__ using SignedWide = __int128;

/// Numbers by position, and the first position of one that is small enough, in logarithmic time.
class FirstFit {
 public:
  static constexpr SignedWide never = SignedWide{1} << 120;

  explicit FirstFit(std::size_t count) {
    while (leaves_ < count) leaves_ *= 2;
    least_.assign(2 * leaves_, never);
  }
  void set(std::size_t at, SignedWide number) {
    least_[at += leaves_] = number;
    while (at > 1) {
      at /= 2;
      least_[at] = std::min(least_[2 * at], least_[2 * at + 1]);
    }
  }
  /// The first from `begin` on, before `end`, of at most `most`; `end`: there is none.
  std::size_t find(std::size_t begin, std::size_t end, SignedWide most) const {
    std::size_t at = begin + leaves_;
    if (begin >= end) return end;
    while (least_[at] > most) {
      while (at % 2 == 1) at /= 2;  // the right half of its parent, and of its parent's parent
      if (at == 0) return end;
      ++at;
    }
    while (at < leaves_) at = 2 * at + (least_[2 * at] <= most ? 0 : 1);
    return std::min(at - leaves_, end);
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<SignedWide> least_;  // of the leaves below; the root is at 1
};

/// The placements while actions are being ordered.
class Orderer {
 public:
  Orderer(const Snapshot& snapshot, const std::vector<Target>& targets)
      : snapshot_(snapshot), targets_(targets), used_(exact_used_bytes(snapshot)) {
    for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
      const ContextState& context = snapshot.contexts[i];
      const Target& target = targets[i];
      const bool changes = context.placement.stored() || target.configuration.stored()
                               ? !(context.placement == target.configuration)
                               : false;
      if (!changes || context.pinned) continue;
      if (target.configuration.stored() && !context.archived && !only_moves(context, target)) continue;
      pending_.push_back({i, is_placed(snapshot, context) ? context.placement : Configuration{},
                          is_placed(snapshot, context) ? context.stored_bytes : 0});
    }
  }

  std::vector<PlacementAction> run() {
    release_room();
    // Space is allocated from the slowest tier upwards: a demotion frees the space that a promotion needs.
    std::stable_sort(pending_.begin(), pending_.end(), [this](const Change& a, const Change& b) {
      return targets_[a.context].configuration.tier > targets_[b.context].configuration.tier;
    });
    index_pending();
    while (carry_out_what_fits() || break_a_circle()) {
    }
    return std::move(actions_);
  }

 private:
  struct Change {
    std::size_t context = 0;
    Configuration from;  // current placement
    std::uint64_t bytes = 0;
    bool is_done = false;
  };

  static bool only_moves(const ContextState& context, const Target& target) {
    return context.placement.stored() && context.placement.method == target.configuration.method &&
           same_fraction(context.placement.removed_fraction, target.configuration.removed_fraction);
  }

  /// What a change takes of its tier's room beyond what it gives back there; its target is stored.
  SignedWide need_of(const Change& change) const {
    const Target& target = targets_[change.context];
    const bool same_tier = change.from.tier == target.configuration.tier;
    return static_cast<SignedWide>(target.bytes) - (same_tier ? static_cast<SignedWide>(change.bytes) : 0);
  }

  /// Below 0 where a tier is above its budget, which was just cut.
  SignedWide room_of(int tier) const {
    const auto at = static_cast<std::size_t>(tier);
    return static_cast<SignedWide>(snapshot_.tiers[at].budget_bytes) - static_cast<SignedWide>(used_[at]);
  }

  void record(Change& change, const Configuration& to, std::uint64_t bytes, double drop, std::string reason) {
    if (change.from.stored()) used_[static_cast<std::size_t>(change.from.tier)] -= change.bytes;
    if (to.stored()) used_[static_cast<std::size_t>(to.tier)] += bytes;
    actions_.push_back({snapshot_.contexts[change.context].key, kind_of(change.from, to, bytes > change.bytes),
                        change.from, to, change.bytes, bytes, drop, std::move(reason)});
    change.from = to;
    change.bytes = bytes;
  }

  void finish(Change& change) {
    const Target& target = targets_[change.context];
    record(change, target.configuration, target.bytes, target.utility_drop, target.reason);
  }

  template <class Done>
  void take_out_if(Done done) {
    std::vector<Change> rest;
    for (Change& change : pending_)
      if (!done(change)) rest.push_back(std::move(change));
    pending_ = std::move(rest);
  }

  void release_room() {
    take_out_if([this](Change& change) {
      const bool evicted = !targets_[change.context].configuration.stored();
      if (evicted) finish(change);
      return evicted;
    });
    take_out_if([this](Change& change) {
      const Target& target = targets_[change.context];
      // A tier above its budget rejects every write that leaves it there, and the larger entry is erased by then.
      const bool shrinks = target.configuration.tier == change.from.tier && target.bytes <= change.bytes &&
                           need_of(change) <= room_of(target.configuration.tier);
      if (shrinks) finish(change);
      return shrinks;
    });
  }

  /// By now all targets are stored.
  void index_pending() {
    needs_.emplace(pending_.size());
    for (std::size_t i = 0; i < pending_.size(); ++i) needs_->set(i, need_of(pending_[i]));
    unbroken_ = pending_.size();
  }

  /// One pass over what is pending, in order. Each change that is passed over does not fit: it is not looked at.
  bool carry_out_what_fits() {
    bool any = false;
    for (std::size_t begin = 0, end = 0; begin < pending_.size(); begin = end) {
      const int tier = targets_[pending_[begin].context].configuration.tier;
      end = static_cast<std::size_t>(
          std::partition_point(
              pending_.begin() + static_cast<std::ptrdiff_t>(begin), pending_.end(),
              [&](const Change& change) { return targets_[change.context].configuration.tier >= tier; }) -
          pending_.begin());
      for (std::size_t at = begin;; ++at) {
        at = needs_->find(at, end, room_of(tier));
        if (at == end) break;
        finish(pending_[at]);
        needs_->set(at, FirstFit::never);
        pending_[at].is_done = true;
        any = true;
      }
    }
    return any;
  }

  bool break_a_circle() {
    // Pick the one bound for the fastest tier: a promotion is mostly built from its original anyway. Who was passed
    // over once cannot be picked later.
    while (unbroken_ > 0) {
      Change& change = pending_[--unbroken_];
      if (change.is_done || !change.from.stored() || !snapshot_.contexts[change.context].archived) continue;
      record(change, Configuration{}, 0, 0,
             "evicted for a swap between full tiers; will be restored from its original");
      needs_->set(unbroken_, need_of(change));
      return true;
    }
    return false;
  }

  const Snapshot& snapshot_;
  const std::vector<Target>& targets_;
  std::vector<UnsignedWide> used_;
  std::vector<Change> pending_;
  std::optional<FirstFit> needs_;  // of pending_, once it keeps its order
  std::size_t unbroken_ = 0;       // of pending_: from here on, none can be evicted for a swap
  std::vector<PlacementAction> actions_;
};

}  // namespace

std::vector<PlacementAction> ordered_actions(const Snapshot& snapshot, const std::vector<Target>& targets) {
  return Orderer(snapshot, targets).run();
}

void apply(Snapshot& snapshot, const PlacementAction& action, std::optional<std::uint64_t> real_bytes) {
  const auto index = find_context(snapshot, action.context);
  if (!index) return;
  ContextState& context = snapshot.contexts[*index];
  context.placement = action.to;
  context.stored_bytes = action.to.stored() ? real_bytes.value_or(action.bytes_after) : 0;
}

}  // namespace kvantage::inline policy
