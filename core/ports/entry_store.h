// The part that differs between tiers: where the bytes of an entry are and how they are transferred. QueuedTier (tiers)
// adds the rest (index, tickets, threads, capacity, statistics). A store is called by one writing and one reading
// thread at a time; only quick reads come from any number of threads at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ports/device_residency.h"
#include "core/ports/storage_tier.h"
#include "core/ports/transfer_error.h"

namespace kvantage::inline ports {

/// One stored version of an entry. Its holders may read it; after retire() its space is freed when the last holder
/// releases it, so an erase never invalidates a read.
class StoredEntry {
 public:
  explicit StoredEntry(EntryInfo info) : info_(std::move(info)) {}
  virtual ~StoredEntry() = default;
  StoredEntry(const StoredEntry&) = delete;
  StoredEntry& operator=(const StoredEntry&) = delete;

  const EntryInfo& info() const { return info_; }
  /// Later versions of a key have higher numbers.
  virtual std::uint64_t sequence() const { return 0; }
  /// Space it takes beyond info().bytes.
  virtual std::uint64_t overhead_bytes() const { return 0; }
  virtual void retire() {}
  /// Whether both are handles of one stored version (a store that deduplicates equal writes returns several).
  virtual bool same_version(const StoredEntry& other) const { return this == &other; }

 private:
  EntryInfo info_;
};

/// The extents of one read and their destination.
class ReadSink {
 public:
  virtual ~ReadSink() = default;
  virtual std::span<const ReadExtent> extents() const = 0;
  /// Whether extent `index` has no buffer and is completed by lend(); only where EntryStore::may_lend().
  virtual bool is_borrowed(std::size_t /*index*/) const { return false; }
  /// The buffer of extent `index`; at least extents()[index].bytes long.
  virtual std::span<std::byte> target(std::size_t index) = 0;
  virtual bool cancelled() const = 0;
  /// Extent `index` is in its buffer, verified. Called in order, once each.
  virtual void finish(std::size_t index, double device_seconds, double verify_seconds) = 0;
  /// In place of finish(): extent `index` is in these bytes. Without an owner they are the entry's, which the sink
  /// pins.
  virtual void lend(std::size_t /*index*/, LentBytes /*lent*/) {}
  /// The clock behind device_seconds and verify_seconds.
  virtual const Clock& clock() const = 0;
};

/// The result of opening a store.
struct RecoveredEntries {
  std::vector<std::shared_ptr<StoredEntry>> entries;  // at most one version per key
  std::uint64_t swept_files = 0;
  std::uint64_t lost_entries = 0;  // stored once, but their bytes are gone
  bool rebuilt = false;            // the index was rebuilt from the entries
  std::uint64_t unreadable_files = 0;
  std::vector<std::string> unreadable = {};  // why, in one line each; of the first ones alone
  /// Nothing is read from that file, written to it or removed from it.
  void leave_alone(const Error& why) {
    constexpr std::size_t most = 8;
    ++unreadable_files;
    if (unreadable.size() < most) unreadable.push_back(why.message);
  }
};

/// Receives changes that other processes make to a shared store. Calls come from the store's own thread.
class StoreChanges {
 public:
  virtual ~StoreChanges() = default;
  virtual void appeared(std::shared_ptr<StoredEntry> entry) = 0;
  virtual void vanished(const Digest128& key, std::uint64_t sequence) = 0;
  virtual void reachable_again() = 0;
};

class EntryStore {
 public:
  virtual ~EntryStore() = default;
  virtual TierDescription describe() const = 0;
  virtual Expected<RecoveredEntries> recover() { return RecoveredEntries{}; }
  /// Stores `bytes` durably; aborts with `cancelled` shortly after the flag is set, leaving nothing behind.
  virtual Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                     const std::atomic<bool>& cancelled) = 0;
  /// Reads in order and calls finish() per extent; stops at the first failure.
  virtual TransferStatus read(const StoredEntry& entry, ReadSink& sink) = 0;
  /// Whether extents without a buffer are lent: from the entry's memory where lends() says so, else from a copy.
  virtual bool may_lend() const { return false; }
  /// Whether the extent, which may lie outside of the entry, is contiguous in memory that can be lent. Never waits.
  virtual bool lends(const StoredEntry& /*entry*/, const ReadExtent& /*extent*/) const { return false; }
  /// Reads of up to this many bytes are faster than a thread handoff and run on the submitting thread. 0: all reads go
  /// to the reading thread.
  virtual std::uint64_t quick_read_bytes() const { return 0; }
  /// Whether the stored bytes are unchanged (background scrub). From any thread for an entry with a residency().
  virtual TransferStatus verify(const StoredEntry& entry) = 0;
  /// Whether entries may be in blocks of a device's memory.
  virtual bool may_reside() const { return false; }
  /// The entry in such blocks, which keeps it; null: it is not in blocks. From any thread; never waits.
  virtual std::shared_ptr<const DeviceResidency> residency(const std::shared_ptr<StoredEntry>& /*entry*/) const {
    return nullptr;
  }
  /// Frees the space of retired entries without readers, durably. On the writing thread.
  virtual void settle() {}
  /// Space reserved for future entries, beyond what entries take. From any thread.
  virtual std::uint64_t reusable_bytes() const { return 0; }
  /// What its storage takes for entries, where that can be measured; without entry_bytes: for all. From any thread.
  virtual std::optional<StorageUse> storage_use() const { return std::nullopt; }
  /// Only for a store in a device's memory. From any thread.
  virtual std::optional<DeviceGauges> device_gauges() const { return std::nullopt; }
  /// Entries of others in a shared store that this one may not use, for their seals. From any thread.
  virtual std::uint64_t unsealed_entries() const { return 0; }
  /// False while the storage behind it does not respond.
  virtual bool reachable() const { return true; }
  /// Reports changes by other processes, from now to end_watch().
  virtual void watch(StoreChanges&) {}
  virtual void end_watch() {}
};

}  // namespace kvantage::inline ports
