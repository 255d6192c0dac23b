// One read of an entry as a batch of transfers: selects the next bytes, verifies checksums while later transfers are in
// flight, and delivers extents in order as soon as they are complete.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/entry_store.h"
#include "core/ports/file_device.h"
#include "tiers/read_plan.h"
#include "tiers/scratch_slots.h"
#include "tiers/store_header.h"

namespace kvantage::inline tiers {

class EntryReading final : public TransferBatch {
 public:
  /// `data_offset`: start of the entry's bytes in the file. `scratch`: ScratchSlots::all_bytes. `tier_name` is for
  /// errors. All must outlive this.
  EntryReading(const StoreHeader& header, std::uint64_t data_offset, ReadSink& sink, std::span<std::byte> scratch,
               const std::string& tier_name);

  std::optional<Transfer> next() override;
  Status done(std::size_t index) override;

  /// Why it stopped, if the cause is on this side: a wrong checksum, a cancellation.
  const std::optional<TransferError>& failure() const { return failure_; }
  bool complete() const { return group_done_ == groups_.size(); }

 private:
  struct Issued {
    std::size_t group = 0;
    std::uint64_t begin = 0;  // in the entry
    std::span<std::byte> bytes;
  };

  void copy_out(const Issued& issued);
  bool verify_arrived(const ReadExtent& extent, std::span<const std::byte> bytes, std::uint64_t until);
  bool verify_rest(const ReadExtent& extent, std::span<const std::byte> bytes);
  Status finish_group(const ReadGroup& group, double device_seconds);
  Status stop_corrupt(std::size_t extent);
  Status stop(MissReason reason, ErrorCode code, const std::string& what);

  const StoreHeader& header_;
  std::uint64_t data_offset_;
  ReadSink& sink_;
  const std::string& tier_name_;
  ScratchSlots scratch_;
  std::vector<std::span<std::byte>> targets_;
  std::vector<ReadGroup> groups_;
  std::size_t group_next_ = 0;  // issued up to here
  std::uint64_t at_ = 0;        // within that group
  std::size_t group_done_ = 0;
  std::deque<Issued> issued_;
  std::size_t pieces_verified_ = 0;  // of the arriving extent, if it is alone in its group
  double verify_seconds_ = 0;        // of those
  double mark_ = 0;                  // seconds, at completion of the previous extent
  std::optional<TransferError> failure_;
};

}  // namespace kvantage::inline tiers
