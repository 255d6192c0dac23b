// The tier on a Redis server (or Valkey), shared by many workbenches. An entry is chunks of up to 1 MiB and a store
// header (tiers/store_header.h); keys are laid out in tiers/redis_keys.h.
//
// A write registers its version in `unfinished`, sends the chunks, then one script makes header and index entry visible
// and takes the registration away: nobody sees an entry before all of it is there. Each version has chunks of its own,
// so replacing never touches what another process reads. What is replaced or erased goes back to `unfinished` until
// its chunks are unlinked. Whoever opens the store, and every workbench now and then, removes the unfinished versions
// of workbenches whose lease has run out.
//
// Several hold one version when they stored the same bytes: the second write only joins (`holders`). Erasing takes it
// from the store when no other workbench that lives holds it; otherwise it is only forgotten here. A counter rises with
// every change; the watch reads it every 100 ms and the index when it moved, so what others do is seen by then.
//
// Every read is verified. A chunk that is gone (evicted there, FLUSHALL) or wrong condemns the entry, for everybody,
// unless another version stands in its place by now: then the read is `replaced`, and that version is what the next one
// finds. Sums of a reader who knew the version before condemn nothing. A server that does not answer condemns nothing
// either: reads and writes fail at once until the watch has it back.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/ports/entry_store.h"
#include "tiers/remote/redis_entry.h"
#include "tiers/remote/redis_link.h"

namespace kvantage {

struct RedisStoreOptions {
  RedisUrl url;
  std::string prefix = "kvantage";
  std::string scope = "common";  // entries of other scopes are never seen
  RedisTimeouts timeouts;
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
  double poll_seconds = 0.1;  // how old the view of what others did may be
  double lease_seconds = 30;  // how long a workbench that is gone keeps its unfinished chunks
  GiveUp give_up{};           // asked while it is opened
  double first_pause_seconds = 0.05, longest_pause_seconds = 5;  // between two attempts to reconnect
  RedisTransport transport{};
};

/// The clock's UTC time in microseconds, where the counters of a store begin.
std::string microseconds_now(const Clock& clock);

class RedisStore final : public EntryStore {
 public:
  RedisStore(std::string name, RedisStoreOptions options);
  ~RedisStore() override;

  TierDescription describe() const override;
  /// An unreachable server is no error: the store opens empty and fills when it is there. So does one that is too slow
  /// for the limits of connecting and of a command together. rejected_input when it will never work so (password,
  /// database, certificate, cluster node without these keys, replies that no store sends); cancelled.
  Expected<RecoveredEntries> recover() override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;
  bool reachable() const override { return link_.up(); }
  void watch(StoreChanges& changes) override;
  void end_watch() override;

 private:
  const Clock& clock() const { return options_.transport.clock(); }
  std::int64_t ns_after(double seconds) const;
  using Connection = std::unique_ptr<RedisConnection>;
  using IndexRow = std::pair<Digest128, RedisVersion>;
  // redis_store.cpp: writing
  Expected<std::shared_ptr<RedisEntry>> joined(RedisConnection& connection, const StoreHeader& wanted,
                                               const RedisReply& index, const RedisReply& header,
                                               const GiveUp& give_up);
  Status send_chunks(RedisConnection& connection, const std::string& version, std::span<const std::byte> bytes,
                     const GiveUp& give_up);
  Status commit(RedisConnection& connection, const StoreHeader& header, const RedisVersion& version,
                const GiveUp& give_up);
  Error refused(const RedisReply& reply) const;
  // redis_read.cpp: reading
  class EntryRead;
  Expected<bool> replaced(const RedisEntry& entry, const GiveUp& give_up);
  // redis_sweep.cpp: removing
  Status empty_trash(RedisConnection& connection, const GiveUp& give_up);
  Status sweep_unfinished(RedisConnection& connection, const GiveUp& give_up);
  Status sweep_lost(RedisConnection& connection, const GiveUp& give_up);
  // redis_watch.cpp: what others do
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
  const std::string workbench_;  // this one's name among those who share the store
  RedisLink link_;
  std::shared_ptr<RedisVersions> versions_ = std::make_shared<RedisVersions>();
  std::shared_ptr<RedisTrash> trash_ = std::make_shared<RedisTrash>();
  Connection reader_;   // the reading thread's
  Connection writer_;   // the writing thread's
  Connection watcher_;  // the watch's; before it runs, recover()'s
  std::string last_changes_;
  std::string scan_cursor_ = "0";
  bool scanned_ = false;  // the whole store, for chunks that nothing names
  std::uint64_t swept_ = 0;
  std::int64_t lease_due_ns_ = 0, sweep_due_ns_ = 0;
  std::atomic<bool> look_again_{false};
  std::atomic<StoreChanges*> changes_{nullptr};  // while it is watched
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Executor::Thread> watch_;
};

}  // namespace kvantage
