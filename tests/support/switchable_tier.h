// A tier over another one, with what may happen to one whose place is not this process: it goes away and comes back,
// others write into it, reads and writes fail, or take until the test lets them end.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage::test {

class SwitchableTier final : public StorageTier {
 public:
  explicit SwitchableTier(std::unique_ptr<StorageTier> inner) : inner_(std::move(inner)) {}

  bool away = false, throttled = false, refuses_writes = false, holds_writes = false, holds_reads = false;
  std::string note;
  std::string read_failure;  // reason for which reads fail, as Completion::miss_reason; empty: they do not
  std::uint64_t changes_by_others = 0, unsealed = 0;

  /// What was written last, whatever came of it.
  struct Written {
    EntryInfo info;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  Written last_write;
  /// Puts an entry in, as another process does.
  void write_by_others(const Written& entry) {
    (void)write_through(entry);
    ++changes_by_others;
  }
  /// The oldest write that is held fails.
  void fail_held_write() { complete(take_held(), fail(ErrorCode::io, "the disk is worn out")); }
  /// The oldest write that is held comes to what the tier makes of it.
  void finish_held_write() {
    const Held held = take_held();
    complete(held, write_through(held.written));
  }
  /// The oldest read that is held fails for this reason, as Completion::miss_reason.
  void fail_held_read(const std::string& reason) {
    if (held_reads_.empty()) qFatal("no read is held");
    HeldRead read = std::move(held_reads_.front());
    held_reads_.pop_front();
    fail_read(std::move(read), reason);
  }
  std::size_t held_reads() const { return held_reads_.size(); }
  std::size_t held_writes() const { return held_.size(); }
  /// Of the oldest write that is held.
  Ticket held_ticket() const { return held_.front().ticket; }

  Executor& executor() const override { return inner_->executor(); }
  TierDescription describe() const override {
    TierDescription description = inner_->describe();
    if (!note.empty()) description.note = note;
    description.throttled = description.throttled || throttled;
    return description;
  }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override {
    last_write = {info, entry};
    if (!refuses_writes && !holds_writes) return inner_->submit_write(std::move(info), std::move(entry), completions);
    const Held held{next_ticket(), &completions, last_write};
    if (holds_writes)
      held_.push_back(held);
    else
      complete(held, fail(ErrorCode::io, "the disk is worn out"));
    return held.ticket;
  }
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override {
    if (holds_reads || !read_failure.empty()) {
      HeldRead read{next_ticket(), &completions, std::move(buffers)};
      const Ticket ticket = read.ticket;
      if (holds_reads)
        held_reads_.push_back(std::move(read));
      else
        fail_read(std::move(read), read_failure);
      return ticket;
    }
    return inner_->submit_read(key, std::move(extents), std::move(buffers), completions);
  }
  void cancel(Ticket ticket) override {
    if (const auto read = std::ranges::find(held_reads_, ticket, &HeldRead::ticket); read != held_reads_.end()) {
      fail_read(std::move(*read), "cancelled");
      held_reads_.erase(read);
      return;
    }
    const auto held = std::ranges::find(held_, ticket, &Held::ticket);
    if (held == held_.end()) return inner_->cancel(ticket);
    complete(*held, fail(ErrorCode::cancelled, "given up"));
    held_.erase(held);
  }
  Status erase(const Digest128& key) override { return inner_->erase(key); }
  bool contains(const Digest128& key) const override { return inner_->contains(key); }
  std::vector<EntryInfo> entries() const override { return inner_->entries(); }
  std::uint64_t used_bytes() const override { return inner_->used_bytes(); }
  void set_capacity(std::uint64_t bytes) override { inner_->set_capacity(bytes); }
  std::uint64_t capacity() const override { return inner_->capacity(); }
  TierStatistics statistics() const override {
    TierStatistics statistics = inner_->statistics();
    statistics.unsealed = unsealed;
    return statistics;
  }
  bool reachable() const override { return !away && inner_->reachable(); }
  std::uint64_t generation() const override { return inner_->generation() + changes_by_others; }

 private:
  struct Held {
    Ticket ticket = 0;
    CompletionQueue* completions = nullptr;
    Written written;
  };
  Held take_held() {
    if (held_.empty()) qFatal("no write is held");
    Held held = std::move(held_.front());
    held_.pop_front();
    return held;
  }
  Status write_through(const Written& entry) {
    CompletionQueue done(clock());
    inner_->submit_write(entry.info, entry.bytes, done);
    for (;;)
      for (Completion& completion : done.wait(1))
        if (completion.last) return std::move(completion.status);
  }
  struct HeldRead {
    Ticket ticket = 0;
    CompletionQueue* completions = nullptr;
    std::vector<std::unique_ptr<LeasedBuffer>> buffers;
  };
  static void complete(const Held& held, Status status) {
    Completion completion;
    completion.ticket = held.ticket;
    completion.last = true;
    completion.status = std::move(status);
    held.completions->push(std::move(completion));
  }
  static void fail_read(HeldRead read, const std::string& reason) {
    read.buffers.clear();  // before anybody hears of it
    Completion completion;
    completion.ticket = read.ticket;
    completion.last = true;
    completion.status = fail(ErrorCode::io, "the disk does not respond");
    completion.miss_reason = reason;
    read.completions->push(std::move(completion));
  }

  std::unique_ptr<StorageTier> inner_;
  std::deque<Held> held_;
  std::deque<HeldRead> held_reads_;
};

}  // namespace kvantage::test
