#include "tiers/queued_tier.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/units.h"

namespace kvantage::inline tiers {
namespace {

constexpr std::size_t kept_samples = 256;

}  // namespace

Expected<std::unique_ptr<StorageTier>> QueuedTier::open(std::unique_ptr<EntryStore> store, std::uint64_t capacity,
                                                        double scrub_seconds, Executor& executor) {
  KV_ASSIGN(auto recovered, store->recover());
  std::unique_ptr<QueuedTier> tier(
      new QueuedTier(std::move(store), capacity, std::move(recovered), scrub_seconds, executor));
  tier->store_->watch(*tier);
  return tier;
}

QueuedTier::QueuedTier(std::unique_ptr<EntryStore> store, std::uint64_t capacity, RecoveredEntries recovered,
                       double scrub_seconds, Executor& executor)
    : executor_(executor),
      store_(std::move(store)),
      capacity_(capacity),
      reader_(executor, store_->describe().name + "-read"),
      writer_(
          executor, store_->describe().name + "-write", [this] { scrub_next(); }, scrub_seconds) {
  // The periodic task may already run: the index is filled under its lock.
  const std::lock_guard lock(mutex_);
  statistics_.recovered = recovered.entries.size();
  statistics_.swept_files = recovered.swept_files;
  statistics_.unreadable_files = recovered.unreadable_files;
  if (!recovered.unreadable.empty()) statistics_.unreadable = recovered.unreadable.front();
  for (auto& entry : recovered.entries) {
    used_bytes_ += entry->info().bytes;
    statistics_.overhead_bytes += entry->overhead_bytes();
    index_.emplace(entry->info().key, std::move(entry));
  }
}

QueuedTier::~QueuedTier() {
  std::vector<Ticket> tickets;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [ticket, job] : jobs_) tickets.push_back(ticket);
  }
  std::sort(tickets.begin(), tickets.end());
  for (const Ticket ticket : tickets) cancel(ticket);
  reader_.stop();
  writer_.stop();
  store_->end_watch();
}

Ticket QueuedTier::submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                                CompletionQueue& completions) {
  const Ticket ticket = next_ticket();
  auto job = std::make_shared<WriteJob>(ticket, std::move(info), std::move(entry), completions);
  if (!job->has_entry() || job->entry().empty() || job->entry().size() != job->info().bytes ||
      job->info().header_bytes > job->info().bytes) {
    fail_write(*job, Error{ErrorCode::rejected_input,
                           name() + ": entry " + job->key().hex() + ": its length does not match its description"});
    return ticket;
  }
  {
    const std::lock_guard lock(mutex_);
    jobs_.emplace(ticket, job);
  }
  writer_.post([this, job = std::move(job)] {
    if (job->claim()) run_write(*job);
  });
  return ticket;
}

Ticket QueuedTier::submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                               std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) {
  const Ticket ticket = next_ticket();
  auto job = std::make_shared<ReadJob>(ticket, key, std::move(extents), std::move(buffers), completions, clock());
  bool of_others = false;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = index_.find(key); found != index_.end()) {
      job->pin(found->second);
      if (store_->may_lend()) job->allow_lending();
      of_others = of_others_.contains(key);
      jobs_.emplace(ticket, job);
    }
  }
  if (job->pinned() == nullptr) {
    count_miss(MissReason::absent);
    job->fail_rest({MissReason::absent, {ErrorCode::not_found, name() + ": entry " + key.hex() + ": not stored here"}});
    return ticket;
  }
  if (const Status fits = job->check(job->pinned()->info().bytes); !fits) {
    forget_job(ticket);
    // A read that is valid for the previous version may exceed a replacement by another process.
    TransferError failure{MissReason::rejected, fits.error()};
    if (of_others && job->check(std::numeric_limits<std::uint64_t>::max()))
      failure = {MissReason::replaced,
                 {ErrorCode::not_found,
                  name() + ": entry " + key.hex() + ": another workbench replaced it by a shorter version"}};
    count_miss(failure.reason);
    job->fail_rest(failure);
    reader_.post([job] {});  // releases the pin there: it may be the last one of an erased entry
    return ticket;
  }
  if (job->bytes_into_buffers() <= store_->quick_read_bytes()) {
    if (job->claim()) run_read(*job);
    return ticket;
  }
  reader_.post([this, job = std::move(job)] {
    if (job->claim()) run_read(*job);
  });
  return ticket;
}

std::vector<bool> QueuedTier::lends(const Digest128& key, std::span<const ReadExtent> extents) const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> lent;
  if (const auto found = index_.find(key); store_->may_lend() && found != index_.end())
    for (const ReadExtent& extent : extents) lent.push_back(store_->lends(*found->second, extent));
  return lent;
}

void QueuedTier::cancel(Ticket ticket) {
  std::shared_ptr<TransferJob> job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(ticket);
    if (found == jobs_.end()) return;
    job = found->second;
    job->raise_cancel_flag();
    if (!job->claim()) return;  // its thread has claimed it and will see the flag
    jobs_.erase(found);
    if (job->is_write())
      ++statistics_.failed_writes[to_string(ErrorCode::cancelled)];
    else
      ++statistics_.misses[to_string(MissReason::cancelled)];
  }
  job->fail_rest({MissReason::cancelled, {ErrorCode::cancelled, name() + ": cancelled"}});
}

Status QueuedTier::erase(const Digest128& key) {
  std::vector<Ticket> overtaken;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [ticket, job] : jobs_)
      if (job->is_write() && job->key() == key) {
        job->raise_cancel_flag();  // under this lock, so that it cannot become visible after the erase
        overtaken.push_back(ticket);
      }
    if (const auto found = index_.find(key); found != index_.end()) {
      const std::shared_ptr<StoredEntry> entry = found->second;
      unlink_locked(entry);
      erased_.push_back(entry);
      ++statistics_.erased;
    }
  }
  std::sort(overtaken.begin(), overtaken.end());
  for (const Ticket ticket : overtaken) cancel(ticket);
  // Freeing space may take I/O: not on the caller's thread.
  writer_.post([this] {
    {
      std::unique_lock lock(mutex_);
      retire_erased(lock);
    }
    store_->settle();
  });
  return {};
}

void QueuedTier::retire_erased(std::unique_lock<std::mutex>& lock) {
  while (!erased_.empty()) {
    auto entries = std::exchange(erased_, {});
    lock.unlock();
    for (const auto& entry : entries) entry->retire();
    entries.clear();
    lock.lock();
  }
}

void QueuedTier::run_write(WriteJob& job) {
  const auto full = [&](std::uint64_t used, std::uint64_t limit) {
    return Error{ErrorCode::no_space, name() + ": entry of " + format_bytes(job.info().bytes) + " does not fit: " +
                                          format_bytes(used) + " of " + format_bytes(limit) + " are used"};
  };
  const auto after_write = [&] {  // bytes in use including this entry; requires the lock
    const auto found = index_.find(job.key());
    return used_bytes_ + job.info().bytes - (found == index_.end() ? 0 : found->second->info().bytes);
  };
  {
    std::unique_lock lock(mutex_);
    // Space of erased entries must be freed before it is reused: after a crash both entries would exist, over the
    // budget.
    retire_erased(lock);
    if (capacity_ != 0 && after_write() > capacity_) {
      const Error error = full(used_bytes_, capacity_);
      lock.unlock();
      return fail_write(job, error);
    }
  }
  const double start = clock().seconds();
  auto stored = store_->put(job.info(), job.entry(), job.cancel_flag());
  const double seconds = clock().seconds() - start;
  if (!stored) return fail_write(job, stored.error());

  std::shared_ptr<StoredEntry> replaced;
  {
    std::unique_lock lock(mutex_);
    // Capacity, cancellation or an erase may have changed during the transfer.
    const bool too_late = job.cancel_flag();
    if (too_late || (capacity_ != 0 && after_write() > capacity_)) {
      const Error error = too_late ? Error{ErrorCode::cancelled, name() + ": cancelled"} : full(used_bytes_, capacity_);
      const auto held = index_.find(job.key());
      const bool joined = held != index_.end() && held->second->same_version(**stored);
      lock.unlock();
      if (!joined) (*stored)->retire();
      stored->reset();
      store_->settle();  // report the removal only once it is durable
      return fail_write(job, error);
    }
    ++statistics_.writes;
    statistics_.written_bytes += job.info().bytes;
    add_sample_locked({job.info().bytes, seconds, true});
    jobs_.erase(job.ticket());
    const auto found = index_.find(job.key());
    if (found != index_.end() && found->second->sequence() > (*stored)->sequence()) {
      replaced = std::move(*stored);  // by another process, which became known before this write ended
    } else {
      if (found != index_.end()) {
        replaced = found->second;
        unlink_locked(replaced);
        if (replaced->same_version(**stored)) replaced.reset();
      }
      used_bytes_ += job.info().bytes;
      statistics_.overhead_bytes += (*stored)->overhead_bytes();
      index_.emplace(job.key(), std::move(*stored));
    }
  }
  if (replaced != nullptr) {
    replaced->retire();  // freed with the next write or erase
    replaced.reset();
  }
  job.succeed(seconds);
}

void QueuedTier::run_read(ReadJob& job) {
  job.before_success([this, &job] {
    const std::lock_guard lock(mutex_);
    jobs_.erase(job.ticket());
    ++statistics_.reads;
    statistics_.read_bytes += job.total_bytes();
    add_sample_locked({job.total_bytes(), job.device_seconds(), false});
  });
  const TransferStatus status = store_->read(*job.pinned(), job);
  if (status) return;
  const TransferError& failure = status.error();
  bool retire = false;
  {
    const std::lock_guard lock(mutex_);
    jobs_.erase(job.ticket());
    ++statistics_.misses[to_string(failure.reason)];
    if (condemns_entry(failure.reason) && unlink_locked(job.pinned())) {
      ++statistics_.dropped;
      retire = true;
    }
  }
  if (retire) {
    job.pinned()->retire();
    job.unpin();
    writer_.post([this] { store_->settle(); });  // before the caller's reaction to the miss
  }
  job.fail_rest(failure);
}

void QueuedTier::scrub_next() {
  std::shared_ptr<StoredEntry> entry;
  {
    // The smallest key after the cursor, wrapping around: every entry is visited, despite insertions and removals.
    const std::lock_guard lock(mutex_);
    std::shared_ptr<StoredEntry> first;
    for (const auto& [key, candidate] : index_) {
      if (first == nullptr || key < first->info().key) first = candidate;
      if (key > scrub_cursor_ && (entry == nullptr || key < entry->info().key)) entry = candidate;
    }
    if (entry == nullptr) entry = first;
    if (entry == nullptr) return;
    scrub_cursor_ = entry->info().key;
  }
  const TransferStatus status = store_->verify(*entry);
  bool retire = false;
  {
    const std::lock_guard lock(mutex_);
    ++statistics_.scrubbed;
    statistics_.scrubbed_bytes += entry->info().bytes;
    if (!status && condemns_entry(status.error().reason) && unlink_locked(entry)) {
      ++statistics_.dropped;
      retire = true;
    }
  }
  if (retire) entry->retire();
}

void QueuedTier::appeared(std::shared_ptr<StoredEntry> entry) {
  const std::lock_guard lock(mutex_);
  if (const auto found = index_.find(entry->info().key); found != index_.end()) {
    if (found->second->sequence() >= entry->sequence()) return;
    unlink_locked(std::shared_ptr<StoredEntry>(found->second));  // replaced by a concurrent write
  }
  used_bytes_ += entry->info().bytes;
  statistics_.overhead_bytes += entry->overhead_bytes();
  ++statistics_.appeared;
  of_others_.insert(entry->info().key);
  index_.emplace(entry->info().key, std::move(entry));
  ++generation_;
}

void QueuedTier::vanished(const Digest128& key, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end() || found->second->sequence() != sequence) return;
  unlink_locked(std::shared_ptr<StoredEntry>(found->second));
  ++statistics_.vanished;
  ++generation_;
}

bool QueuedTier::unlink_locked(const std::shared_ptr<StoredEntry>& entry) {
  const auto found = index_.find(entry->info().key);
  if (found == index_.end() || found->second != entry) return false;
  index_.erase(found);
  of_others_.erase(entry->info().key);
  used_bytes_ -= entry->info().bytes;
  statistics_.overhead_bytes -= entry->overhead_bytes();
  return true;
}

void QueuedTier::add_sample_locked(TransferSample sample) {
  samples_.push_back(sample);
  if (samples_.size() > kept_samples) samples_.pop_front();
}

void QueuedTier::count_miss(MissReason reason) {
  const std::lock_guard lock(mutex_);
  ++statistics_.misses[to_string(reason)];
}

void QueuedTier::fail_write(WriteJob& job, const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.erase(job.ticket());
    ++statistics_.failed_writes[to_string(error.code)];
  }
  job.fail_rest({.error = error});
}

void QueuedTier::forget_job(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(ticket);
}

}  // namespace kvantage::inline tiers
