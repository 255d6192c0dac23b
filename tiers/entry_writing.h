// One write of an entry as a batch of transfers: header and entry as one stream of aligned steps through scratch memory
// (the caller's memory need not be aligned), filled while earlier steps are in flight.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "core/ports/file_device.h"
#include "tiers/scratch_slots.h"

namespace kvantage::inline tiers {

class EntryWriting final : public TransferBatch {
 public:
  /// `offset`: start of the header in the file. `scratch`: ScratchSlots::all_bytes. Everything must outlive this.
  EntryWriting(std::uint64_t offset, std::span<const std::byte> header, std::span<const std::byte> entry,
               std::span<std::byte> scratch, const std::atomic<bool>& cancelled)
      : offset_(offset), header_(header), entry_(entry), scratch_(scratch), cancelled_(cancelled) {}

  std::optional<Transfer> next() override;
  Status done(std::size_t index) override;
  /// All bytes were issued; false after a cancellation.
  bool complete() const { return header_.empty() && entry_.empty(); }

 private:
  std::uint64_t offset_;
  std::span<const std::byte> header_, entry_;  // remaining bytes
  ScratchSlots scratch_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace kvantage::inline tiers
