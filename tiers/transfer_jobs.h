// Reads and writes in progress in a QueuedTier. A job is claimed once: by its worker thread, or by a cancellation
// before it starts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "core/ports/entry_store.h"

namespace kvantage::inline tiers {

class TransferJob {
 public:
  TransferJob(Ticket ticket, const Digest128& key, CompletionQueue& completions)
      : ticket_(ticket), key_(key), completions_(completions) {}
  virtual ~TransferJob() = default;
  TransferJob(const TransferJob&) = delete;
  TransferJob& operator=(const TransferJob&) = delete;

  Ticket ticket() const { return ticket_; }
  const Digest128& key() const { return key_; }
  const std::atomic<bool>& cancel_flag() const { return cancelled_; }
  void raise_cancel_flag() { cancelled_ = true; }
  /// True for the first caller only.
  bool claim() { return !claimed_.exchange(true); }
  virtual bool is_write() const = 0;
  /// Completes everything outstanding with this failure, buffers returned first. Writes have no miss reason.
  virtual void fail_rest(const TransferError& failure) = 0;

 protected:
  void push(Completion completion) { completions_.push(std::move(completion)); }

 private:
  const Ticket ticket_;
  const Digest128 key_;
  CompletionQueue& completions_;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> claimed_{false};
};

class WriteJob final : public TransferJob {
 public:
  WriteJob(Ticket ticket, EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
           CompletionQueue& completions)
      : TransferJob(ticket, info.key, completions), info_(std::move(info)), entry_(std::move(entry)) {}

  const EntryInfo& info() const { return info_; }
  std::span<const std::byte> entry() const { return *entry_; }
  bool has_entry() const { return entry_ != nullptr; }
  bool is_write() const override { return true; }
  void succeed(double device_seconds);
  void fail_rest(const TransferError& failure) override;

 private:
  EntryInfo info_;
  std::shared_ptr<const std::vector<std::byte>> entry_;
};

class ReadJob final : public TransferJob, public ReadSink {
 public:
  ReadJob(Ticket ticket, const Digest128& key, std::vector<ReadExtent> extents,
          std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions, const Clock& clock)
      : TransferJob(ticket, key, completions),
        clock_(clock),
        extents_(std::move(extents)),
        buffers_(std::move(buffers)) {}

  void pin(std::shared_ptr<StoredEntry> entry) { pinned_ = std::move(entry); }
  /// The pinned entry's store lends: extents may have no buffer.
  void allow_lending() { lending_ = true; }
  void unpin() { pinned_.reset(); }
  const std::shared_ptr<StoredEntry>& pinned() const { return pinned_; }
  /// rejected_input when extents, pieces or buffers do not match an entry of `entry_bytes`.
  Status check(std::uint64_t entry_bytes) const;
  /// Called right before the last completion of a successful read.
  void before_success(std::function<void()> callback) { before_success_ = std::move(callback); }
  std::uint64_t total_bytes() const;
  std::uint64_t bytes_into_buffers() const;  // without what is lent
  double device_seconds() const { return device_seconds_; }

  bool is_write() const override { return false; }
  void fail_rest(const TransferError& failure) override;
  std::span<const ReadExtent> extents() const override { return extents_; }
  bool is_borrowed(std::size_t index) const override { return buffers_[index] == nullptr; }
  std::span<std::byte> target(std::size_t index) override { return buffers_[index]->bytes(); }
  bool cancelled() const override { return cancel_flag(); }
  const Clock& clock() const override { return clock_; }
  void finish(std::size_t index, double device_seconds, double verify_seconds) override;
  void lend(std::size_t index, LentBytes lent) override;

 private:
  void complete(std::size_t index, Completion completion);

  const Clock& clock_;
  std::vector<ReadExtent> extents_;
  std::vector<std::unique_ptr<LeasedBuffer>> buffers_;
  std::shared_ptr<StoredEntry> pinned_;
  std::function<void()> before_success_;
  bool lending_ = false;
  std::size_t finished_ = 0;
  double device_seconds_ = 0;
};

}  // namespace kvantage::inline tiers
