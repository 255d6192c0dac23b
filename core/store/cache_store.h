// The only writer of the tiers: executes placement actions, and keeps the catalog in sync with the tiers. The policy
// decides; here an action either completes or leaves the context not stored, which is always safe: its next request
// prefills it, and the archive still has the original.
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
#include "core/store/chunk_cache.h"
#include "core/store/original_archive.h"
#include "core/store/placement_writes.h"
#include "core/store/serialized_entry.h"
#include "core/store/tier_inventory.h"
#include "core/store/tier_stack.h"

namespace kvantage::inline store {

class CacheStore {
 public:
  /// tiers: fastest first; archive: unlimited; null: only originals in memory can be compressed.
  CacheStore(ModelRuntime& runtime, Catalog& catalog, BufferLender& lender, EventBus& events, const Clock& clock,
             std::vector<std::unique_ptr<StorageTier>> tiers, std::unique_ptr<StorageTier> archive);
  ~CacheStore();
  /// Polled while waiting for a write: true cancels it (the context is then not stored).
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  TierStack& tiers() { return tiers_; }
  OriginalArchive& originals() { return originals_; }
  ChunkCache& chunk_copies() { return chunk_copies_; }
  /// Of placements, in flight.
  PlacementWrites& writes() { return writes_; }

  /// After a start: places entries of known contexts and erases others from the budgeted tiers (never from the
  /// archive).
  void recover();
  /// Places entries that other processes added to a shared tier since the last call, if the context is not stored here
  /// and they fit. True when anything changed.
  bool sync(std::size_t tier);
  /// Clears the budgeted tiers for a cold start; the archive stays.
  void clear();

  /// The stored entry that covers most of these tokens, if any. One with a write in flight is served from memory.
  std::optional<CacheHit> find(std::span<const std::int32_t> tokens);
  /// Handles a failed read: the entry is dropped and the failure published. If only the tier was unreachable, the entry
  /// stays on it for later; if only memory was short, nothing changes.
  void drop(std::size_t context, const ReadFailure& failure);

  /// Executes one action. Its write is in flight on return: the context counts as placed, and readers use its memory
  /// until the write is done. Publishes committed or failed at the outcome, and the occupancy of both tiers. An earlier
  /// write in flight of the context is canceled. With too many bytes in flight it waits, or fails.
  enum class Backlog { wait, refuse };
  Status commit(const PlacementAction& action, Backlog backlog = Backlog::wait);
  /// Whether commit() would wait, or fail, for bytes in flight.
  bool is_held_up(const PlacementAction& action) const { return action.to.stored() && !writes_.has_room(); }
  /// Contexts whose write failed after commit() returned, since the last call; they are not stored.
  std::vector<Digest128> take_failed_writes() { return std::exchange(failed_writes_, {}); }

  /// Writes and waits; cancelled when `stop` returns true. Does not change placements.
  Status write_and_wait(StorageTier& tier, const SerializedEntry& entry);
  /// Takes completions of background writes.
  void poll();
  /// Waits for all background writes; cancels them if `give_up`, or when `stop` returns true.
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
  ChunkCache chunk_copies_;
  std::vector<Digest128> failed_writes_;
  std::function<bool()> stop_;
};

}  // namespace kvantage::inline store
