// A storage tier over any EntryStore: index of visible entries, tickets, one reading and one writing thread, capacity,
// statistics, background scrub. Reads never wait behind writes; quick ones (EntryStore::quick_read_bytes) run on the
// submitting thread.
//
// An entry is in the index from the moment its write is durable until it is erased, replaced or found corrupt. A read
// pins its version, so a later erase or replacement does not affect it; what was lent keeps it pinned. Destroying the
// tier completes everything in flight as `cancelled`.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tiers/transfer_jobs.h"
#include "tiers/worker_thread.h"

namespace kvantage::inline tiers {

class QueuedTier final : public StorageTier, private StoreChanges, private ResidentEntries {
 public:
  /// Indexes the entries that `store` recovered. `capacity` in bytes, 0 = unlimited. `scrub_seconds`: pause between two
  /// entries verified in the background; 0 = no scrub. `executor` must outlive the tier. Errors: those of
  /// EntryStore::recover.
  static Expected<std::unique_ptr<StorageTier>> open(std::unique_ptr<EntryStore> store, std::uint64_t capacity,
                                                     double scrub_seconds, Executor& executor);
  ~QueuedTier() override;

  TierDescription describe() const override { return store_->describe(); }
  Executor& executor() const override { return executor_; }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override;
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override;
  std::vector<bool> lends(const Digest128& key, std::span<const ReadExtent> extents) const override;
  ResidentEntries* resident() override { return store_->may_reside() ? this : nullptr; }
  void cancel(Ticket ticket) override;
  Status erase(const Digest128& key) override;
  bool contains(const Digest128& key) const override;
  std::vector<EntryInfo> entries() const override;
  std::uint64_t used_bytes() const override;
  void set_capacity(std::uint64_t bytes) override;
  std::uint64_t capacity() const override;
  TierStatistics statistics() const override;
  bool reachable() const override { return store_->reachable(); }
  std::uint64_t generation() const override { return generation_; }

 private:
  QueuedTier(std::unique_ptr<EntryStore> store, std::uint64_t capacity, RecoveredEntries recovered,
             double scrub_seconds, Executor& executor);

  std::shared_ptr<const DeviceResidency> residency(const Digest128& key) const override;
  ResidentRead read_resident(const Digest128& key) override;
  void appeared(std::shared_ptr<StoredEntry> entry) override;
  void vanished(const Digest128& key, std::uint64_t sequence) override;
  void reachable_again() override { ++generation_; }
  void run_write(WriteJob& job);
  void run_read(ReadJob& job);
  void scrub_next();
  // Frees the space of erased entries; on the writing thread, with the lock held on return.
  void retire_erased(std::unique_lock<std::mutex>& lock);
  // Removes the entry from the index if it is still this version; requires the lock.
  bool unlink_locked(const std::shared_ptr<StoredEntry>& entry);
  void add_sample_locked(TransferSample sample);
  void count_miss(MissReason reason);
  void fail_write(WriteJob& job, const Error& error);
  void forget_job(Ticket ticket);
  std::string name() const { return store_->describe().name; }

  Executor& executor_;
  std::unique_ptr<EntryStore> store_;
  mutable std::mutex mutex_;
  std::unordered_map<Digest128, std::shared_ptr<StoredEntry>> index_;
  std::unordered_set<Digest128> of_others_;  // entries in the index that other processes added to a shared store
  std::unordered_map<Ticket, std::shared_ptr<TransferJob>> jobs_;  // in flight
  std::vector<std::shared_ptr<StoredEntry>> erased_;               // out of the index, their space not freed yet
  std::uint64_t used_bytes_ = 0;
  std::uint64_t capacity_;
  std::atomic<std::uint64_t> generation_{0};
  TierStatistics statistics_;
  std::deque<TransferSample> samples_;
  Digest128 scrub_cursor_;
  WorkerThread reader_;
  WorkerThread writer_;
};

}  // namespace kvantage::inline tiers
