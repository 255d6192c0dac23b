// The tier in host memory: entries in a page arena. A reader without a buffer is lent an entry's own pages, which
// nobody writes after put(); a reader with one gets a copy, of large entries on the tier's own thread. Checksums are
// computed when an entry is written and verified by a background scrub, not on every read: memory is verified
// occasionally, disks always.
#pragma once

#include <memory>
#include <string>

#include "core/ports/entry_store.h"
#include "tiers/page_arena.h"

namespace kvantage::inline tiers {

/// An entry in the arena; public so that tests can corrupt one.
class DramEntry final : public StoredEntry {
 public:
  DramEntry(EntryInfo info, std::shared_ptr<PageArena> arena, PageArena::Runs runs)
      : StoredEntry(std::move(info)), arena_(std::move(arena)), runs_(std::move(runs)) {}
  ~DramEntry() override { arena_->release(runs_); }

  std::uint64_t overhead_bytes() const override { return round_up_to_page(info().bytes) - info().bytes; }
  const PageArena::Runs& runs() const { return runs_; }
  /// One per run, over the entry's bytes in it.
  std::vector<std::uint64_t>& checksums() { return checksums_; }
  const std::vector<std::uint64_t>& checksums() const { return checksums_; }

 private:
  std::shared_ptr<PageArena> arena_;
  PageArena::Runs runs_;
  std::vector<std::uint64_t> checksums_;
};

class DramStore final : public EntryStore {
 public:
  /// A few milliseconds of copying at most: faster on the submitting thread than waking another one on a busy machine.
  static constexpr std::uint64_t quick_bytes = std::uint64_t{16} << 20;

  explicit DramStore(std::string name, std::shared_ptr<PageArena> arena = std::make_shared<PageArena>())
      : name_(std::move(name)), arena_(std::move(arena)) {}

  TierDescription describe() const override { return {name_, "host memory", false, ""}; }
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  bool may_lend() const override { return true; }
  /// Where the extent is in one run of pages.
  bool lends(const StoredEntry& entry, const ReadExtent& extent) const override;
  std::uint64_t quick_read_bytes() const override { return quick_bytes; }
  TransferStatus verify(const StoredEntry& entry) override;

 private:
  TransferStatus copy_out(const PageArena::Runs& runs, const ReadExtent& extent, std::span<std::byte> target,
                          const ReadSink& sink) const;

  std::string name_;
  std::shared_ptr<PageArena> arena_;
};

}  // namespace kvantage::inline tiers
