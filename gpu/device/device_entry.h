// One entry in a device's memory, with its checksums.
#pragma once

#include <algorithm>

#include "gpu/device/device_pool.h"
#include "gpu/device/leaf_sums.h"

namespace kvantage::gpu {

class DeviceEntry final : public StoredEntry {
 public:
  static constexpr std::uint64_t summed_bytes = std::uint64_t{8} << 20;  // bytes per checksum

  DeviceEntry(EntryInfo info, std::shared_ptr<DevicePool> pool, DeviceRuns runs)
      : StoredEntry(std::move(info)), pool_(std::move(pool)), runs_(std::move(runs)) {}
  ~DeviceEntry() override { pool_->release(runs_); }

  std::uint64_t overhead_bytes() const override {
    std::uint64_t bytes = 0;
    for (const DeviceRun& run : runs_) bytes += run.bytes;
    return bytes - info().bytes;
  }
  const DeviceRuns& runs() const { return runs_; }
  std::vector<std::uint64_t>& sums() { return sums_; }
  /// Of the checksum block that starts at `offset`.
  std::uint64_t sum_at(std::uint64_t offset) const { return sums_[offset / summed_bytes]; }

  /// Whether `bytes`, read for `extent`, are those that were written: checks the caller's pieces, or without any all
  /// complete checksum blocks.
  bool intact(const ReadExtent& extent, std::span<const std::byte> bytes) const {
    for (const ReadExtent::Piece& piece : extent.pieces)
      if (checksum_of(bytes.subspan(piece.offset - extent.offset, piece.bytes)) != piece.checksum) return false;
    if (!extent.pieces.empty()) return true;
    const std::uint64_t end = extent.offset + extent.bytes;
    for (std::uint64_t at = (extent.offset + summed_bytes - 1) / summed_bytes * summed_bytes; at < end;
         at += summed_bytes) {
      const std::uint64_t count = std::min(summed_bytes, info().bytes - at);
      if (at + count <= end && !sum_holds(at, bytes.subspan(at - extent.offset, count))) return false;
    }
    return true;
  }
  /// `bytes`: one checksum block, starting at `offset`.
  bool sum_holds(std::uint64_t offset, std::span<const std::byte> bytes) const {
    return leaf_sum_of(bytes) == sum_at(offset);
  }

 private:
  std::shared_ptr<DevicePool> pool_;
  DeviceRuns runs_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace kvantage::gpu
