// An Accelerator over any DeviceMemory: one pool for all its stores, one meter for all copies.
#pragma once

#include <mutex>
#include <optional>

#include "gpu/device/device_store.h"

namespace kvantage::gpu {

class DeviceAccelerator final : public Accelerator {
 public:
  /// Times copies of pinned memory in both directions for the peaks: 128 MiB of traffic, a few milliseconds. io if the
  /// device fails.
  static Expected<std::unique_ptr<Accelerator>> open(std::shared_ptr<DeviceMemory> memory);

  AcceleratorInfo info() const override { return memory_->info(); }
  DeviceGauges gauges() const override { return gauges_of(*memory_, counts(), *meter_); }
  void use_blocks(const DeviceBlocks& blocks) override;
  Expected<std::unique_ptr<EntryStore>> open_store(const std::string& name, std::uint64_t bytes) override;
  std::shared_ptr<void> pin(std::span<std::byte> memory) override { return memory_->pin(memory); }

 private:
  explicit DeviceAccelerator(std::shared_ptr<DeviceMemory> memory)
      : memory_(std::move(memory)),
        pool_(std::make_shared<DevicePool>(memory_)),
        meter_(std::make_shared<CopyMeter>()) {}
  Status time_peaks();
  PoolCounts counts() const;

  std::shared_ptr<DeviceMemory> memory_;
  std::shared_ptr<DevicePool> pool_;
  std::shared_ptr<CopyMeter> meter_;
  mutable std::mutex resident_mutex_;
  std::optional<ResidentPool> resident_;  // nothing: no blocks are known
};

}  // namespace kvantage::gpu
