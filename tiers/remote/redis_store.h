// The tier on a Redis server (or Valkey), shared by many workbenches. An entry is chunks of up to 1 MiB and a store
// header (tiers/store_header.h); tiers/redis_keys.h defines the key layout.
//
// A write registers its version in `unfinished` and sends the chunks. Then one script makes header and index entry
// visible and removes the registration: an entry is never visible before it is complete. Each version has its own
// chunks, so replacing never affects readers in other processes. Replaced or erased versions return to `unfinished`
// until their chunks are unlinked. Opening the store, and every workbench periodically, removes unfinished versions of
// workbenches with an expired lease.
//
// Several workbenches hold one version when they stored the same bytes: the second write only joins (`holders`). An
// erase removes it from the store when no other live workbench holds it; otherwise it is only forgotten locally. A
// counter is incremented by every change; the watch polls it every 100 ms and reads the index when it changed, so
// changes by others become visible within that time.
//
// With a key, entries are sealed (tiers/remote/entry_seal.h), and those without its seal are not used.
//
// Every read is verified. A chunk that is missing (evicted there, FLUSHALL) or corrupt invalidates the entry for
// everybody, unless another version replaced it: then the read is `replaced`, and the next one finds that version.
// Checksums from a reader that knew the previous version invalidate nothing. An unreachable server invalidates nothing
// either: reads and writes fail immediately until the watch has reconnected.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "core/ports/entry_store.h"
#include "tiers/remote/redis_entry.h"
#include "tiers/remote/redis_link.h"

namespace kvantage::inline remote {

/// Of the keys of stores that name none.
inline constexpr std::string_view default_prefix = "kvantage";

struct RedisStoreOptions {
  RedisTransport transport;
  RedisUrl url{};
  std::string prefix{default_prefix};
  std::string scope = "common";  // entries of other scopes are invisible
  RedisTimeouts timeouts{};
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
  double poll_seconds = 0.1;  // maximum age of the local view of others' changes
  double lease_seconds = 30;  // how long a dead workbench keeps its unfinished chunks
  GiveUp give_up{};           // polled while opening
  double first_pause_seconds = 0.05, longest_pause_seconds = 5;  // between two attempts to reconnect
  std::shared_ptr<const SealKey> seal_key{};                     // null: entries are not sealed
};

/// The clock's UTC time in microseconds: the initial value of a store's counters.
std::string microseconds_now(const Clock& clock);

class RedisStore final : public EntryStore {
 public:
  RedisStore(std::string name, RedisStoreOptions options);
  ~RedisStore() override;

  TierDescription describe() const override;
  /// An unreachable server is not an error: the store opens empty and fills once it is reachable. The same holds for
  /// one that is too slow for the limits of connecting and of a command together. rejected_input when it is permanently
  /// unusable (password, database, certificate, cluster node without these keys, invalid replies), or when its entries
  /// are sealed and there is no key; cancelled.
  Expected<RecoveredEntries> recover() override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;
  std::uint64_t unsealed_entries() const override { return unsealed_; }
  bool reachable() const override { return link_.up(); }
  void watch(StoreChanges& changes) override;
  void end_watch() override;

 private:
  const Clock& clock() const { return options_.transport.clock(); }
  std::int64_t ns_after(double seconds) const;
  using Connection = std::unique_ptr<RedisConnection>;
  using IndexRow = std::pair<Digest128, RedisVersion>;
  Expected<SealedHeader> header_in(const std::string& text) const;
  // redis_store.cpp: writing
  Expected<std::shared_ptr<RedisEntry>> joined(RedisConnection& connection, const StoreHeader& wanted,
                                               const EntrySeal* seal, const RedisReply& index, const RedisReply& header,
                                               const GiveUp& give_up);
  Status send_chunks(RedisConnection& connection, const std::string& version, std::span<const std::byte> bytes,
                     const GiveUp& give_up);
  Status commit(RedisConnection& connection, const StoreHeader& header, const EntrySeal* seal,
                const RedisVersion& version, const GiveUp& give_up);
  Error refused(const RedisReply& reply) const;
  // redis_read.cpp: reading
  class EntryRead;
  Expected<bool> replaced(const RedisEntry& entry, const GiveUp& give_up);
  // redis_sweep.cpp: removing
  Status empty_trash(RedisConnection& connection, const GiveUp& give_up);
  Status sweep_unfinished(RedisConnection& connection, const GiveUp& give_up);
  Status sweep_lost(RedisConnection& connection, const GiveUp& give_up);
  // redis_watch.cpp: changes by others
  Status settle(RedisConnection& connection, const GiveUp& give_up);
  Status renew_lease(RedisConnection& connection, const GiveUp& give_up);
  Status look(RedisConnection& connection, StoreChanges& changes, const GiveUp& give_up);
  Status read_headers(RedisConnection& connection, std::span<const IndexRow> rows, StoreChanges& changes,
                      const GiveUp& give_up);
  Status take_out_spoilt(RedisConnection& connection, std::span<const IndexRow> rows, const GiveUp& give_up);
  void watch_loop(StoreChanges& changes);
  Status tend(Connection& connection, StoreChanges& changes, const GiveUp& give_up);

  const std::string name_;
  const RedisStoreOptions options_;
  const RedisKeys keys_;
  const std::string workbench_;  // this one's name among the workbenches sharing the store
  RedisLink link_;
  std::shared_ptr<RedisVersions> versions_ = std::make_shared<RedisVersions>();
  std::shared_ptr<RedisTrash> trash_ = std::make_shared<RedisTrash>();
  Connection reader_;   // the reading thread's
  Connection writer_;   // the writing thread's
  Connection watcher_;  // the watch's; before it runs, recover()'s
  std::string last_changes_;
  std::string scan_cursor_ = "0";
  bool scanned_ = false;  // the whole store, for orphaned chunks
  std::uint64_t swept_ = 0;
  std::int64_t lease_due_ns_ = 0, sweep_due_ns_ = 0;
  std::atomic<std::uint64_t> unsealed_{0};  // versions seen that may not be used here
  std::atomic<bool> recheck_{false};
  std::atomic<StoreChanges*> changes_{nullptr};  // null while not watched
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Executor::Thread> watch_;
};

}  // namespace kvantage::inline remote
