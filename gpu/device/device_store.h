// Entries in device memory, behind core/ports/entry_store.h; index, tickets, capacity and statistics are shared with
// all tiers. Nothing outlives the process.
//
// Where the model's caches are in the same memory, entries of plain rows are in their blocks (resident_entry.h), which
// a model takes as they are.
//
// Writes go through staging memory. Reads go layer by layer with several copies in flight: directly into pinned
// buffers, else through staging. While one layer is verified the next ones are copied, and the caller may compute on
// earlier ones. Each read is verified, as its bytes crossed a bus twice: by the caller's checksums, else by those from
// the write.
#pragma once

#include <optional>
#include <string>

#include "gpu/device/copy_meter.h"
#include "gpu/device/resident_transfer.h"

namespace kvantage::gpu {

class DeviceStore final : public EntryStore {
 public:
  static constexpr std::uint64_t straight_ahead_bytes = std::uint64_t{32} << 20;  // in flight at once per read
  static constexpr std::size_t straight_ahead_copies = 16;

  /// `meter` records all copies except those of the scrub. resident: for entries in blocks; nothing: all are bytes.
  /// no_space as Staging::open.
  static Expected<std::unique_ptr<EntryStore>> open(std::string name, std::shared_ptr<DeviceMemory> memory,
                                                    std::shared_ptr<DevicePool> pool, std::shared_ptr<CopyMeter> meter,
                                                    std::optional<ResidentPool> resident = std::nullopt);

  TierDescription describe() const override;
  Expected<std::shared_ptr<StoredEntry>> put(const EntryInfo& info, std::span<const std::byte> bytes,
                                             const std::atomic<bool>& cancelled) override;
  TransferStatus read(const StoredEntry& entry, ReadSink& sink) override;
  TransferStatus verify(const StoredEntry& entry) override;
  bool may_reside() const override { return resident_.has_value(); }
  std::shared_ptr<const DeviceResidency> residency(const std::shared_ptr<StoredEntry>& entry) const override;
  std::uint64_t reusable_bytes() const override;
  std::optional<DeviceGauges> device_gauges() const override;

 private:
  DeviceStore(std::string name, std::shared_ptr<DeviceMemory> memory, std::shared_ptr<DevicePool> pool,
              std::shared_ptr<CopyMeter> meter, std::optional<ResidentPool> resident)
      : name_(std::move(name)),
        memory_(std::move(memory)),
        pool_(std::move(pool)),
        meter_(std::move(meter)),
        resident_(std::move(resident)) {}

  Expected<std::shared_ptr<StoredEntry>> put_resident(const EntryInfo& info, std::span<const std::byte> bytes,
                                                      BlockImage image, const std::atomic<bool>& cancelled);
  PoolCounts counts() const;
  Error said(Error error) const { return {error.code, name_ + ": " + error.message}; }

  std::string name_;
  std::shared_ptr<DeviceMemory> memory_;
  std::shared_ptr<DevicePool> pool_;
  std::shared_ptr<CopyMeter> meter_;
  std::optional<ResidentPool> resident_;
  std::unique_ptr<Staging> writing_, reading_;  // one per thread
};

/// The device's current state: memory, pools, copies.
DeviceGauges gauges_of(const DeviceMemory& memory, const PoolCounts& counts, const CopyMeter& meter);

}  // namespace kvantage::gpu
