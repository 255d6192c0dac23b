// A storage tier holds entries (serial form of core/kv/serial.h) under 128-bit keys and moves them asynchronously:
// submit, continue, collect completions. Only what is faster than waking one of its threads runs inline. A read that
// cannot be served correctly (missing, short, wrong checksum) completes with an error and is a miss for the engine:
// bytes that failed their checksum are never returned. An entry becomes visible only when it is completely and durably
// written. Budgets are the policy's: a tier refuses writes beyond capacity (no_space), it never evicts on its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/executor.h"
#include "core/ports/device_residency.h"
#include "core/ports/tier_statistics.h"

namespace kvantage::inline ports {

/// Aligned memory leased for one transfer; returned to its pool when destroyed.
class LeasedBuffer {
 public:
  virtual ~LeasedBuffer() = default;
  virtual std::span<std::byte> bytes() = 0;  // 4 KiB-aligned
};

class BufferLender {
 public:
  virtual ~BufferLender() = default;
  /// no_space when the lender's limit is reached: the caller waits for a completion and retries.
  virtual Expected<std::unique_ptr<LeasedBuffer>> lease(std::size_t bytes) = 0;
  virtual std::size_t leased_bytes() const = 0;
};

/// Bytes in a tier's own memory, unchanged while `owner` is held, whatever becomes of their entry and of the tier.
struct LentBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // null: nothing is lent
};

/// A range of an entry to read: bytes [offset, offset+bytes), and the checksummed pieces in it.
struct ReadExtent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  struct Piece {
    std::uint64_t offset = 0;  // from the start of the entry
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
  };
  std::vector<Piece> pieces;  // verified by tiers that must (SSD, remote) before the completion succeeds
};

using Ticket = std::uint64_t;
/// A process-wide unique number, so that tiers can share one CompletionQueue. Never 0.
Ticket next_ticket();

/// The result of one submitted read or write. `index` = which extent of the ticket; `last` ends the ticket.
struct Completion {
  Ticket ticket = 0;
  std::size_t index = 0;
  bool last = false;
  Status status;
  std::unique_ptr<LeasedBuffer> buffer;  // reads: the bytes; null for writes and failures (already back in its pool)
  LentBytes lent = {};                   // reads without a buffer: the bytes, exactly the extent's
  double device_seconds = 0;             // time on the device, throttling included
  double verify_seconds = 0;             // checksum time, separate
  std::string miss_reason = {};          // of a failed read: its key in TierStatistics::misses
  std::int64_t pushed_ns = 0;            // by the queue's clock, set by push()
};

/// Where tiers put completions and the engine takes them; thread-safe. Must outlive every ticket given to it: a tier
/// that is destroyed first completes everything in flight as `cancelled`.
class CompletionQueue {
 public:
  /// `clock`: that of its tiers, StorageTier::clock(); any whose waits take as long where nobody reads pushed_ns.
  explicit CompletionQueue(const Clock& clock) : clock_(clock) {}
  void push(Completion completion);
  /// Takes the available completions without waiting.
  std::vector<Completion> poll();
  /// Waits up to `seconds` for at least one.
  std::vector<Completion> wait(double seconds);

 private:
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Completion> items_;
};

struct EntryInfo {
  Digest128 key;
  std::uint64_t bytes = 0;         // whole entry, padding included
  std::uint64_t header_bytes = 0;  // padded header, the first part of the entry
  std::string label;               // opaque to the tier: the engine keeps context, method and fraction here (JSON)
};

struct TierDescription {
  std::string name;        // "dram", "ssd", "archive"
  std::string kind;        // "host memory", "file system"
  bool throttled = false;  // throttled bandwidth or latency
  std::string note;        // e.g. "page cache dropped after each read: O_DIRECT refused here"
};

class StorageTier {
 public:
  virtual ~StorageTier() = default;
  virtual TierDescription describe() const = 0;
  /// Runs its transfers. Waits for a completion use the same clock.
  virtual Executor& executor() const = 0;
  const Clock& clock() const { return executor().clock(); }

  /// Stores `entry` under info.key (replacing an older one); one completion, once it is durable and visible.
  virtual Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                              CompletionQueue& completions) = 0;
  /// Reads extents in order; one completion per extent. buffers[i] holds at least extents[i].bytes. Null: the bytes are
  /// lent, in no time on the device; rejected_input where the tier never lends.
  virtual Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                             std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) = 0;
  /// Which of these extents a read would lend without copying; empty: none.
  virtual std::vector<bool> lends(const Digest128&, std::span<const ReadExtent>) const { return {}; }
  /// Its entries in blocks of a device's memory; null: it has none now.
  virtual ResidentEntries* resident() { return nullptr; }
  /// Cancels a ticket: unread extents complete as `cancelled`, their buffers already back in the pool. A committed
  /// write still completes as a success. An unknown or finished ticket is not an error.
  virtual void cancel(Ticket ticket) = 0;
  /// Removes an entry immediately; its writes in flight complete as `cancelled`. Reads in flight still finish with
  /// correct bytes or an error. An absent key is not an error. After a power cut the entry may reappear.
  virtual Status erase(const Digest128& key) = 0;

  virtual bool contains(const Digest128& key) const = 0;
  virtual std::vector<EntryInfo> entries() const = 0;
  /// Bytes of all visible entries, headers and padding included.
  virtual std::uint64_t used_bytes() const = 0;
  /// Hard limit; 0 = unlimited. May be below used_bytes(): only writes are refused.
  virtual void set_capacity(std::uint64_t bytes) = 0;
  virtual std::uint64_t capacity() const = 0;

  virtual TierStatistics statistics() const { return {}; }
  /// False while the tier's server does not respond: reads are misses, entries are kept.
  virtual bool reachable() const { return true; }
  /// Incremented when other processes change entries() of a shared tier, or when it becomes reachable again.
  virtual std::uint64_t generation() const { return 0; }
};

}  // namespace kvantage::inline ports
