// The tier on a Redis server (or Valkey), a Redis Cluster or a server behind Sentinels, shared by many workbenches. An
// entry is chunks of up to 1 MiB and a store header (tiers/store_header.h); tiers/remote/redis_keys.h defines the key
// layout. In a cluster the store is 16 buckets (tiers/remote/redis_slots.h), each as below and on its own node; a node
// that does not respond makes its buckets unreachable, not the others.
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
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "core/ports/entry_store.h"
#include "tiers/remote/redis_bucket.h"
#include "tiers/remote/redis_channel.h"
#include "tiers/remote/redis_entry.h"
#include "tiers/remote/redis_slots.h"

namespace kvantage::inline remote {

/// Of the keys of stores that name none.
inline constexpr std::string_view default_prefix = "kvantage";

struct RedisStoreOptions {
  RedisTransport transport;
  RedisUrl url{};
  std::string prefix{default_prefix};
  std::string scope = "common";  // entries of other scopes are invisible
  RedisTimeouts timeouts{};
  std::uint64_t chunk_bytes = 0;  // 0: what fits the server's allocator, fitting_chunk_bytes()
  double poll_seconds = 0.1;      // maximum age of the local view of others' changes
  double lease_seconds = 30;      // how long a dead workbench keeps its unfinished chunks
  GiveUp give_up{};               // polled while opening
  double first_pause_seconds = 0.05, longest_pause_seconds = 5;  // between two attempts to reconnect
  std::shared_ptr<const SealKey> seal_key{};                     // null: entries are not sealed
  UrlSource url_source = UrlSource::user;                        // for the passwords of a cluster's nodes
  bool measures_memory = false;                                  // asks the server what entries take there
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
  /// unusable (password, database, certificate, one node of a cluster, hosts that the url does not name, invalid
  /// replies), or when its entries are sealed and there is no key; cancelled.
  Expected<RecoveredEntries> recover() override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;
  std::uint64_t unsealed_entries() const override { return unsealed_; }
  std::optional<StorageUse> storage_use() const override;
  /// Of a cluster: at least one bucket.
  bool reachable() const override { return link_.any_up(); }
  void watch(StoreChanges& changes) override;
  void end_watch() override;

 private:
  const Clock& clock() const { return options_.transport.clock(); }
  std::int64_t ns_after(double seconds) const;
  using IndexRow = std::pair<Digest128, RedisVersion>;
  RedisBucket& bucket(const Digest128& key) { return buckets_[bucket_of(key, buckets_.size())]; }
  Expected<SealedHeader> header_in(const RedisBucket& bucket, const std::string& text) const;
  // redis_store.cpp: writing
  Expected<std::shared_ptr<RedisEntry>> write(RedisBucket& bucket, BucketConnection& connection, const EntryInfo& info,
                                              std::span<const std::byte> bytes, const GiveUp& give_up);
  Expected<std::shared_ptr<RedisEntry>> joined(RedisBucket& bucket, BucketConnection& connection,
                                               const StoreHeader& wanted, const EntrySeal* seal,
                                               const RedisReply& index, const RedisReply& header,
                                               const GiveUp& give_up);
  Status send_chunks(const RedisBucket& bucket, BucketConnection& connection, const std::string& version,
                     std::uint64_t chunk_bytes, std::span<const std::byte> bytes, const GiveUp& give_up);
  Status commit(RedisBucket& bucket, BucketConnection& connection, const StoreHeader& header, const EntrySeal* seal,
                const RedisVersion& version, const GiveUp& give_up);
  Error refused(const RedisReply& reply) const;
  // redis_read.cpp: reading
  class EntryRead;
  Expected<bool> replaced(const RedisEntry& entry, const GiveUp& give_up);
  // redis_sweep.cpp: removing
  Status empty_trash(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up);
  Status sweep_unfinished(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up);
  Status sweep_lost(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up);
  // redis_watch.cpp: changes by others
  Status settle(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up);
  Status renew_lease(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up);
  Status look(RedisBucket& bucket, BucketConnection& connection, StoreChanges& changes, const GiveUp& give_up);
  Status read_headers(RedisBucket& bucket, BucketConnection& connection, std::span<const IndexRow> rows,
                      StoreChanges& changes, const GiveUp& give_up);
  Status take_out_spoilt(RedisBucket& bucket, BucketConnection& connection, std::span<const IndexRow> rows,
                         const GiveUp& give_up);
  Status measure(RedisBucket& bucket, BucketConnection& connection, const GiveUp& give_up);
  /// Opens a bucket, whatever its state. Adds its node to `silent` if that does not respond.
  Status open(RedisBucket& bucket, StoreChanges& changes, std::set<RedisAddress>& silent, const GiveUp& give_up);
  Status tend(RedisBucket& bucket, BucketConnection& connection, StoreChanges& changes, const GiveUp& give_up);
  void tend_all(StoreChanges& changes, const GiveUp& give_up);
  void reopen(StoreChanges& changes, const GiveUp& give_up);
  void watch_loop(StoreChanges& changes);

  const std::string name_;
  const RedisStoreOptions options_;
  std::deque<RedisBucket> buckets_;  // made once: one, or cluster_buckets
  const std::string workbench_;      // this one's name among the workbenches sharing the store
  RedisLink link_;
  RedisChannel reader_{link_};   // the reading thread's
  RedisChannel writer_{link_};   // the writing thread's
  RedisChannel watcher_{link_};  // the watch's; before it runs, recover()'s
  std::uint64_t swept_ = 0;
  bool measures_memory_;                         // false: the server does not answer MEMORY USAGE
  std::atomic<std::uint64_t> unsealed_{0};       // versions seen that may not be used here
  std::atomic<StoreChanges*> changes_{nullptr};  // null while not watched
  std::atomic<bool> stopping_{false};
  std::unique_ptr<Executor::Thread> watch_;
};

}  // namespace kvantage::inline remote
