// A tier whose reads are the test's to answer: in which order, when, and how they fail. Everything runs on the thread
// that calls it.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage::test {

class ScriptedTier final : public StorageTier {
 public:
  static constexpr double device_seconds = 0.5, verify_seconds = 0.25;  // of each completion

  /// A read as it was submitted; left: extents without a completion.
  struct Read {
    Ticket ticket = 0;
    Digest128 key;
    std::vector<ReadExtent> extents;
    std::vector<std::unique_ptr<LeasedBuffer>> buffers;
    CompletionQueue* completions = nullptr;
    std::size_t left = 0;
  };

  explicit ScriptedTier(Executor& executor) : executor_(executor) {}

  /// Reads, and cancelled ones, wait for answer() and fail_rest(). Otherwise they complete at once.
  bool holds_reads = false, holds_cancelled = false;
  bool away = false, refuses_writes = false;
  std::map<Digest128, std::shared_ptr<const std::vector<std::byte>>> stored;
  std::deque<Read> reads;  // all that were submitted
  std::vector<Ticket> cancelled;

  /// Completes an extent with the bytes of its entry, as the last one where no other is left or `ends_early`.
  void answer(Read& read, std::size_t index, bool ends_early = false) {
    const auto& entry = *stored.at(read.key);
    const ReadExtent& extent = read.extents.at(index);
    if (extent.offset + extent.bytes > entry.size()) qFatal("an extent outside its entry");
    Completion completion = next(read, index);
    completion.last = completion.last || ends_early;
    completion.buffer = std::move(read.buffers[index]);
    std::copy_n(entry.begin() + static_cast<std::ptrdiff_t>(extent.offset), extent.bytes,
                completion.buffer->bytes().begin());
    read.completions->push(std::move(completion));
  }
  void answer_all(Read& read) {
    for (std::size_t index = 0; index < read.extents.size(); ++index) answer(read, index);
  }
  void fail_extent(Read& read, std::size_t index, ErrorCode code, const std::string& miss_reason) {
    read.buffers[index].reset();
    Completion completion = next(read, index);
    completion.status = fail(code, miss_reason);
    completion.miss_reason = miss_reason;
    read.completions->push(std::move(completion));
  }
  /// Every extent that has no completion yet.
  void fail_rest(Read& read, ErrorCode code, const std::string& miss_reason) {
    for (std::size_t index = 0; index < read.extents.size(); ++index)
      if (read.buffers[index] != nullptr) fail_extent(read, index, code, miss_reason);
  }

  Executor& executor() const override { return executor_; }
  TierDescription describe() const override { return {"scripted", "test", false, ""}; }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override {
    Completion completion;
    completion.ticket = next_ticket();
    completion.last = true;
    if (refuses_writes)
      completion.status = fail(ErrorCode::io, "the disk is worn out");
    else
      stored[info.key] = std::move(entry);
    const Ticket ticket = completion.ticket;
    completions.push(std::move(completion));
    return ticket;
  }
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override {
    const std::size_t count = extents.size();
    Read& read =
        reads.emplace_back(Read{next_ticket(), key, std::move(extents), std::move(buffers), &completions, count});
    if (!stored.contains(key))
      fail_rest(read, ErrorCode::not_found, "absent");
    else if (!holds_reads)
      answer_all(read);
    return read.ticket;
  }
  void cancel(Ticket ticket) override {
    cancelled.push_back(ticket);
    if (holds_cancelled) return;
    const auto read = std::ranges::find(reads, ticket, &Read::ticket);
    if (read != reads.end()) fail_rest(*read, ErrorCode::cancelled, "cancelled");
  }
  Status erase(const Digest128& key) override {
    stored.erase(key);
    return {};
  }
  bool contains(const Digest128& key) const override { return stored.contains(key); }
  std::vector<EntryInfo> entries() const override { return {}; }
  std::uint64_t used_bytes() const override { return 0; }
  void set_capacity(std::uint64_t) override {}
  std::uint64_t capacity() const override { return 0; }
  bool reachable() const override { return !away; }

 private:
  static Completion next(Read& read, std::size_t index) {
    Completion completion;
    completion.ticket = read.ticket;
    completion.index = index;
    completion.last = --read.left == 0;
    completion.device_seconds = device_seconds;
    completion.verify_seconds = verify_seconds;
    return completion;
  }

  Executor& executor_;
};

}  // namespace kvantage::test
