// What differs between tiers: where the bytes of an entry lie and how they get there. QueuedTier (tiers) adds the rest
// (index, tickets, threads, capacity, statistics). A store is called by one writing and one reading thread at a time;
// only quick reads come from any number of threads at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/ports/storage_tier.h"
#include "core/ports/transfer_error.h"

namespace kvantage {

/// One stored version of an entry. Whoever holds it may read it; after retire() its room goes back when the last
/// holder lets go, so that an erase never pulls bytes from under a read.
class StoredEntry {
 public:
  explicit StoredEntry(EntryInfo info) : info_(std::move(info)) {}
  virtual ~StoredEntry() = default;
  StoredEntry(const StoredEntry&) = delete;
  StoredEntry& operator=(const StoredEntry&) = delete;

  const EntryInfo& info() const { return info_; }
  /// Later versions of a key have higher numbers.
  virtual std::uint64_t sequence() const { return 0; }
  /// Room it takes beyond info().bytes.
  virtual std::uint64_t overhead_bytes() const { return 0; }
  virtual void retire() {}
  /// Whether both are handles of one stored version (a store that joins equal writes gives several).
  virtual bool same_version(const StoredEntry& other) const { return this == &other; }

 private:
  EntryInfo info_;
};

/// The extents of one read and where they go.
class ReadSink {
 public:
  virtual ~ReadSink() = default;
  virtual std::span<const ReadExtent> extents() const = 0;
  /// The buffer of extent `index`; at least extents()[index].bytes long.
  virtual std::span<std::byte> target(std::size_t index) = 0;
  virtual bool cancelled() const = 0;
  /// Extent `index` is in its buffer, verified. In order, each once.
  virtual void finish(std::size_t index, double device_seconds, double verify_seconds) = 0;
  /// What device_seconds and verify_seconds are measured by.
  virtual const Clock& clock() const = 0;
};

/// What a store found when it was opened.
struct RecoveredEntries {
  std::vector<std::shared_ptr<StoredEntry>> entries;  // at most one version a key
  std::uint64_t swept_files = 0;
  std::uint64_t lost_entries = 0;  // stored once, their bytes are gone
  bool rebuilt = false;            // what lies where was read from the entries themselves
  std::uint64_t unreadable_files = 0;
};

/// Told what other processes did to a store that is shared. Calls come from the store's own thread.
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
  /// Stores `bytes` durably; gives up with `cancelled` soon after the flag rises, leaving nothing behind.
  virtual Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                     const std::atomic<bool>& cancelled) = 0;
  /// Reads in order and calls finish() per extent; stops at the first failure.
  virtual TransferStatus read(const StoredEntry& entry, ReadSink& sink) = 0;
  /// Reads of up to so many bytes take less time than handing them to a thread: they are done where they are
  /// submitted. 0: all reads go to the reading thread.
  virtual std::uint64_t quick_read_bytes() const { return 0; }
  /// Whether the bytes are still those that were written (background scrub).
  virtual TransferStatus verify(const StoredEntry& entry) = 0;
  /// Gives back the room of retired entries that nobody reads any more, durably. On the writing thread.
  virtual void settle() {}
  /// Room it holds for entries to come, beside what entries take. From any thread.
  virtual std::uint64_t reusable_bytes() const { return 0; }
  /// Of a store in a device's memory alone. From any thread.
  virtual std::optional<DeviceGauges> device_gauges() const { return std::nullopt; }
  /// False while the place where the bytes lie does not answer.
  virtual bool reachable() const { return true; }
  /// Reports what others do, from now to end_watch().
  virtual void watch(StoreChanges&) {}
  virtual void end_watch() {}
};

}  // namespace kvantage
