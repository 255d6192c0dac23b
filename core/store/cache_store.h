// The only writer of the tiers: carries out placement actions, and keeps the catalog true to what the tiers hold.
// Deciding is the policy's part; here an action either happens completely or the context ends up not stored, which is
// always safe: its next request prefills it and the archive still has the original.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/request/cache_hit.h"
#include "core/runtime/catalog.h"
#include "core/runtime/event_bus.h"
#include "core/store/original_archive.h"
#include "core/store/placement_writes.h"
#include "core/store/serialized_entry.h"
#include "core/store/tier_inventory.h"
#include "core/store/tier_stack.h"

namespace kvantage::inline store {

class CacheStore {
 public:
  /// tiers: fastest first; archive: unlimited, may be null (then only what is in memory can be compressed).
  CacheStore(ModelRuntime& runtime, Catalog& catalog, BufferLender& lender, EventBus& events, const Clock& clock,
             std::vector<std::unique_ptr<StorageTier>> tiers, std::unique_ptr<StorageTier> archive);
  ~CacheStore();
  /// Asked while a write is waited for: true gives it up (the context then ends up not stored).
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  /// Of the bytes in memory on their way to the tiers.
  void set_max_bytes_in_flight(std::uint64_t bytes) { writes_.set_max_bytes(bytes); }

  TierStack& tiers() { return tiers_; }
  OriginalArchive& originals() { return originals_; }

  /// Takes over what the tiers hold after a start: entries of known contexts are placed, others are erased from the
  /// budgeted tiers (never from the archive).
  void recover();
  /// Places what others put into a shared tier since the last time, where this one has nothing and it fits. True when
  /// anything changed.
  bool sync(std::size_t tier);
  /// Empties the budgeted tiers (a run that must start cold); the archive stays.
  void clear();

  /// The stored entry that serves most of these tokens, if any. One that is still being written is served from memory.
  std::optional<CacheHit> find(std::span<const std::int32_t> tokens);
  /// A read failed: the entry is dropped and said so. Where only its tier was away, what it holds stays there for
  /// later; where only memory was short, nothing changes.
  void drop(std::size_t context, const ReadFailure& failure);

  /// Carries out one action. What it writes is on its way when this returns: the context counts as placed, and until it
  /// has arrived its readers are served from memory. Publishes committed or failed when that is known, and the
  /// occupancy of both tiers. A write of the context that is still on its way is given up for it. Where too many bytes
  /// are on their way already it waits for room, or fails.
  enum class Backlog { wait, refuse };
  Status commit(const PlacementAction& action, Backlog backlog = Backlog::wait);
  /// Whether commit() would wait, or fail, for the bytes that are on their way.
  bool is_held_up(const PlacementAction& action) const { return action.to.stored() && !writes_.has_room(); }
  /// Contexts whose write failed after commit() had returned, since the last call; they are not stored.
  std::vector<Digest128> take_failed_writes() { return std::exchange(failed_writes_, {}); }

  /// Writes and waits; cancelled when stop says so. Nothing is placed: that is commit's part.
  Status write_and_wait(StorageTier& tier, const SerializedEntry& entry);
  /// Takes completions of background writes.
  void poll();
  /// Waits for all background writes; where asked to, or when stop says so, placements on their way are given up.
  void finish_writes(bool give_up = false);

  void publish_occupancy(int tier);

 private:
  tl::expected<SerializedEntry, ReadFailure> read_entry(std::size_t context);
  Expected<SerializedEntry> make_entry(std::size_t context, const Configuration& configuration);
  void write(PlacementWrite placement);
  void take(const Completion& completion);
  void publish_outcome(const PlacementWrite& write, const Status& status);
  void wait_until(const std::function<bool()>& over);

  ModelRuntime& runtime_;
  Catalog& catalog_;
  BufferLender& lender_;
  EventBus& events_;
  const Clock& clock_;
  EntryMaker entries_;
  TierStack tiers_;
  CompletionQueue background_;
  OriginalArchive originals_;
  PlacementWrites writes_;
  TierInventory inventory_;
  std::vector<Digest128> failed_writes_;
  std::function<bool()> stop_;
};

}  // namespace kvantage::inline store
