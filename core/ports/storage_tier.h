// A storage tier holds entries (serial form of core/kv/serial.h, opaque here) under 128-bit keys and moves them
// asynchronously: submit, go on, collect completions. Nothing here blocks the caller for I/O; a tier has its own
// thread(s), and only what is quicker than waking one (a small copy in memory) is done at once. A read that cannot be
// served correctly (missing, short, wrong checksum) completes with an error and is a miss for the engine: bytes that
// failed their checksum are never handed out. An entry becomes visible only when it is completely and durably written.
// Budgets are the policy's to keep: a tier refuses writes beyond capacity (no_space), it never evicts on its own.
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
#include "core/ports/tier_statistics.h"

namespace kvantage {

/// Aligned memory lent for one transfer; returned to its pool when destroyed.
class LeasedBuffer {
 public:
  virtual ~LeasedBuffer() = default;
  virtual std::span<std::byte> bytes() = 0;  // 4 KiB-aligned
};

class BufferLender {
 public:
  virtual ~BufferLender() = default;
  /// no_space when the lender's limit is reached: the caller waits for a completion and asks again.
  virtual Expected<std::unique_ptr<LeasedBuffer>> lease(std::size_t bytes) = 0;
  virtual std::size_t leased_bytes() const = 0;
};

/// A piece of an entry to read: bytes [offset, offset+bytes), and the checksummed pieces inside it.
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
/// A number no other ticket of this process has, so that tiers can share one CompletionQueue. Never 0.
Ticket next_ticket();

/// What came of one submitted read or write. `index` = which extent of the ticket; `last` ends the ticket.
struct Completion {
  Ticket ticket = 0;
  std::size_t index = 0;
  bool last = false;
  Status status;
  std::unique_ptr<LeasedBuffer> buffer;  // reads: the bytes; null for writes and failures (already back in its pool)
  double device_seconds = 0;             // time on the device, shaping included
  double verify_seconds = 0;             // checksum time, apart
  std::string miss_reason = {};          // of a read that failed: what TierStatistics::misses counts it by
  std::int64_t pushed_ns = 0;            // by the queue's clock, when the queue got it: push() says so
};

/// Where tiers put completions and the engine takes them; thread-safe. Must outlive every ticket given to it: a tier
/// that is destroyed completes what is under way as `cancelled` first.
class CompletionQueue {
 public:
  /// `clock`: that of the tiers that complete into it, StorageTier::clock().
  explicit CompletionQueue(const Clock& clock) : clock_(clock) {}
  void push(Completion completion);
  /// Takes what is there without waiting.
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
  std::string name;     // "dram", "ssd", "archive"
  std::string kind;     // "host memory", "file system"
  bool shaped = false;  // bandwidth or latency made slower on purpose
  std::string note;     // e.g. "page cache dropped after each read: O_DIRECT refused here"
};

class StorageTier {
 public:
  virtual ~StorageTier() = default;
  virtual TierDescription describe() const = 0;
  /// What it runs its transfers on. Who waits for a completion waits on the same clock.
  virtual Executor& executor() const = 0;
  const Clock& clock() const { return executor().clock(); }

  /// Stores `entry` under info.key (replacing an older one); one completion, after it is durable and visible.
  virtual Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                              CompletionQueue& completions) = 0;
  /// Reads extents in order; one completion per extent. buffers[i] holds at least extents[i].bytes.
  virtual Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                             std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) = 0;
  /// Gives up a ticket: what is not read yet completes as `cancelled`, its buffers back in their pool by then. A write
  /// that was committed already completes as a success. An unknown or finished ticket is no error.
  virtual void cancel(Ticket ticket) = 0;
  /// Forgets an entry at once, and writes of it still under way complete as `cancelled`; reads under way still finish
  /// with correct bytes or an error. An absent key is no error. A power cut right after may bring the entry back.
  virtual Status erase(const Digest128& key) = 0;

  virtual bool contains(const Digest128& key) const = 0;
  virtual std::vector<EntryInfo> entries() const = 0;
  /// Bytes of all visible entries, headers and padding included.
  virtual std::uint64_t used_bytes() const = 0;
  /// Hard limit; 0 = unlimited. A lower limit than used_bytes() is allowed: only writes are refused.
  virtual void set_capacity(std::uint64_t bytes) = 0;
  virtual std::uint64_t capacity() const = 0;

  virtual TierStatistics statistics() const { return {}; }
  /// False while the tier's other side (a server) does not answer: reads are misses, entries are kept.
  virtual bool reachable() const { return true; }
  /// Rises when entries() changed by what others did to a shared tier, or when it can be reached again.
  virtual std::uint64_t generation() const { return 0; }
};

}  // namespace kvantage
