// One write of an entry as a batch of transfers: header and entry as one stream of aligned steps through scratch memory
// (the caller's memory need not be aligned), filled while the steps before are under way.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "core/ports/file_device.h"
#include "tiers/scratch_slots.h"

namespace kvantage {

class EntryWriting final : public TransferBatch {
 public:
  /// `offset`: where the header begins in the file. `scratch`: ScratchSlots::all_bytes. Everything must outlive this.
  EntryWriting(std::uint64_t offset, std::span<const std::byte> header, std::span<const std::byte> entry,
               std::span<std::byte> scratch, const std::atomic<bool>& cancelled)
      : offset_(offset), header_(header), entry_(entry), scratch_(scratch), cancelled_(cancelled) {}

  std::optional<Transfer> next() override;
  Status done(std::size_t index) override;
  /// Every byte was given out; false after a cancel.
  bool complete() const { return header_.empty() && entry_.empty(); }

 private:
  std::uint64_t offset_;
  std::span<const std::byte> header_, entry_;  // what is left
  ScratchSlots scratch_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace kvantage
