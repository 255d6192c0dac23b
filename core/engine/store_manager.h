// The only writer of the tiers: carries out placement actions, keeps originals in the archive, and keeps the catalogue
// true to what the tiers hold. Deciding is the policy's part; here an action either happens completely or the
// context ends up not stored, which is always safe: its next request prefills it and the archive still has the
// original.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/catalogue.h"
#include "core/engine/event_bus.h"
#include "core/engine/fits.h"
#include "core/engine/request_task.h"
#include "core/ports/storage_tier.h"

namespace kvantage {

/// A stored form at hand, ready to be written to a tier.
struct SerializedEntry {
  EntryInfo info;
  std::shared_ptr<const EntryHeader> header;
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::shared_ptr<const std::vector<std::byte>> kept_map = {};  // as ContextDetails
};

class StoreManager {
 public:
  /// tiers: fastest first; archive: unlimited, may be null (then only what is in memory can be compressed).
  StoreManager(ModelRuntime& runtime, Catalogue& catalogue, BufferLender& lender, EventBus& events, const Clock& clock,
               std::vector<std::unique_ptr<StorageTier>> tiers, std::unique_ptr<StorageTier> archive);
  ~StoreManager();
  /// Asked while a write is waited for: true gives it up (the context then ends up not stored).
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }

  /// Which tokens the entry of `header` keeps, made of the cache that it holds; null where it keeps all, or is coded.
  static std::shared_ptr<const std::vector<std::byte>> kept_map_of(const KvCache& cache, const EntryHeader& header);

  /// Takes over what the tiers hold after a start: entries of known contexts are placed, others are erased from the
  /// budgeted tiers (never from the archive).
  void recover();
  /// Places what others put into a shared tier since the last time, where this one has nothing and it fits. True when
  /// anything changed.
  bool take_in(std::size_t tier);
  /// The same of the archive: which originals are there. True when anything changed.
  bool take_in_archive();
  /// Empties the budgeted tiers (a run that must start cold); the archive stays.
  void clear();

  /// The stored entry that serves most of these tokens, if any. One that is still being written is served from memory.
  std::optional<CacheHit> find(std::span<const std::int32_t> tokens);
  /// A read failed: the entry is dropped and said so. Where only its tier was away, what it holds stays there for
  /// later; where only memory was short, nothing changes.
  void drop(std::size_t context, const ReadFailure& failure);

  /// Keeps a freshly computed cache at hand for the actions that follow, and archives it (written in the background).
  void keep_original(std::size_t context, KvCache cache, WindowQueries queries, bool archive);
  /// Carries out one action. What it writes is under way when this returns: the context counts as placed, and until it
  /// has arrived its readers are served from memory. Publishes committed or failed when that is known, and the
  /// occupancy of both tiers. A write of the context that is still under way is given up for it. Where too many bytes
  /// are under way already it waits for room, or fails.
  enum class Backlog { wait, refuse };
  Status commit(const PlacementAction& action, Backlog backlog = Backlog::wait);
  /// Whether commit() would wait, or fail, for the bytes that are under way.
  bool is_held_up(const PlacementAction& action) const;
  /// Of the bytes in memory on their way to the tiers, and of those on their way to the archive.
  void set_most_bytes_under_way(std::uint64_t bytes) { most_bytes_under_way_ = bytes; }
  /// Contexts whose write failed after commit() had returned, since the last call; they are not stored.
  std::vector<Digest128> take_failed_writes() { return std::exchange(failed_writes_, {}); }
  /// The original of a context: the one at hand, or read from the archive. not_found when there is neither.
  struct Original {
    KvCache cache;
    Observation observed;
  };
  Expected<Original*> original(std::size_t context);
  /// The original that is in memory already, or null.
  const Original* original_at_hand(std::size_t context) const {
    return original_ != nullptr && original_context_ == context ? original_.get() : nullptr;
  }
  /// Where the archive has it, to be read in parts; nothing while it is being written, or where it is gone.
  std::optional<EntryInfo> archived_entry(std::size_t context) const;
  /// Gives the memory of the original at hand back; false where there was none.
  bool forget_original() { return std::exchange(original_, nullptr) != nullptr; }

  /// Writes and waits; cancelled when stop says so. Nothing is placed: that is commit's part.
  Status write_and_wait(StorageTier& tier, const SerializedEntry& entry);

  /// Takes completions of background writes.
  void poll();
  /// Waits for all background writes; when stop says so, placements under way are given up.
  void finish_writes();
  void give_up_placing();

  std::size_t tier_count() const { return tiers_.size(); }
  StorageTier& tier(std::size_t index) { return *tiers_[index]; }
  StorageTier* archive() { return archive_.get(); }
  TierFit& fit(std::size_t index) { return fits_[index]; }
  TierReport report(std::size_t index) const;
  void set_fit(std::size_t index, TierFit fit) { fits_[index] = std::move(fit); }
  void publish_occupancy(int tier);
  std::uint64_t archive_bytes_read() const { return archive_bytes_read_; }

 private:
  Expected<SerializedEntry> make_blob(std::size_t context, const Configuration& configuration);
  tl::expected<SerializedEntry, ReadFailure> read_blob(std::size_t context);
  Expected<SerializedEntry> serialize_blob(std::size_t context, const KvCache& cache, const WindowQueries* queries,
                                           const Configuration& configuration) const;
  struct Placing {
    std::size_t context = 0;
    PlacementAction action;
    std::int64_t start_ns = 0;
    StorageTier* tier = nullptr;
    SerializedEntry entry;
    bool superseded = false;
  };
  struct Archiving {
    std::size_t context = 0;
    SerializedEntry entry;
  };
  // Background writes (core/engine/store_placing.cpp).
  void take(const Completion& completion);
  void say_archive_refuses(const std::string& id, const Error& error);
  void placed(const Placing& placing, const Status& status);
  void wait_until(const std::function<bool()>& over);
  const Placing* placing_of(std::size_t context) const;
  void supersede(std::size_t context);
  const Archiving* archiving_of(std::size_t context) const;
  std::uint64_t bytes_being_placed() const;
  std::uint64_t bytes_placed(std::size_t tier) const;
  void look_into_archive();
  Digest128 original_key(std::size_t context) const;
  void unplace(std::size_t context);
  void place_found(std::size_t tier, const EntryInfo& info);

  ModelRuntime& runtime_;
  Catalogue& catalogue_;
  BufferLender& lender_;
  EventBus& events_;
  const Clock& clock_;
  std::vector<std::unique_ptr<StorageTier>> tiers_;
  std::unique_ptr<StorageTier> archive_;
  std::vector<TierFit> fits_;
  std::vector<std::uint64_t> seen_generations_;  // of the tiers' entries
  std::uint64_t seen_archive_generation_ = 0;
  CompletionQueue background_;
  std::map<Ticket, Archiving> archiving_;
  std::optional<ErrorCode> archive_refusal_;  // why originals are not archived now, as was said
  std::map<Ticket, Placing> placing_;         // at most one of a context
  std::vector<Digest128> failed_writes_;
  std::size_t original_context_ = 0;
  std::unique_ptr<Original> original_;  // the last one used, kept for the actions that follow
  std::uint64_t archive_bytes_read_ = 0;
  std::uint64_t most_bytes_under_way_ = std::uint64_t{256} << 20;
  std::function<bool()> stop_;
};

}  // namespace kvantage
