// A tier over another one, with what may happen to one whose place is not this process: it goes away and comes back,
// others write into it, writes fail, or take until the test lets them continue.
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

  bool away = false, shaped = false, refuses_writes = false, holds_writes = false;
  std::string note;
  std::uint64_t changes_by_others = 0;

  /// What was written last, whatever came of it.
  struct Written {
    EntryInfo info;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  Written last_write;
  /// Puts an entry in, as another process does.
  void write_by_others(const Written& entry) {
    CompletionQueue done(clock());
    inner_->submit_write(entry.info, entry.bytes, done);
    for (bool over = false; !over;)
      for (const Completion& completion : done.wait(1)) over = completion.last;
    ++changes_by_others;
  }
  /// The oldest write that is held fails.
  void fail_held_write() {
    if (held_.empty()) qFatal("no write is held");
    const Held held = held_.front();
    held_.pop_front();
    complete(held, fail(ErrorCode::io, "the disk is worn out"));
  }
  std::size_t held_writes() const { return held_.size(); }

  Executor& executor() const override { return inner_->executor(); }
  TierDescription describe() const override {
    TierDescription description = inner_->describe();
    if (!note.empty()) description.note = note;
    description.shaped = description.shaped || shaped;
    return description;
  }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override {
    last_write = {info, entry};
    if (!refuses_writes && !holds_writes) return inner_->submit_write(std::move(info), std::move(entry), completions);
    const Held held{next_ticket(), &completions};
    if (holds_writes)
      held_.push_back(held);
    else
      complete(held, fail(ErrorCode::io, "the disk is worn out"));
    return held.ticket;
  }
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override {
    return inner_->submit_read(key, std::move(extents), std::move(buffers), completions);
  }
  void cancel(Ticket ticket) override {
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
  TierStatistics statistics() const override { return inner_->statistics(); }
  bool reachable() const override { return !away && inner_->reachable(); }
  std::uint64_t generation() const override { return inner_->generation() + changes_by_others; }

 private:
  struct Held {
    Ticket ticket = 0;
    CompletionQueue* completions = nullptr;
  };
  static void complete(const Held& held, Status status) {
    Completion completion;
    completion.ticket = held.ticket;
    completion.last = true;
    completion.status = std::move(status);
    held.completions->push(std::move(completion));
  }

  std::unique_ptr<StorageTier> inner_;
  std::deque<Held> held_;
};

}  // namespace kvantage::test
