// Writes and reads entries in blocks through host memory: as they come from other tiers, and for readers that are not
// on the device. A model there takes the blocks without this.
#pragma once

#include <atomic>
#include <string>

#include "gpu/device/copy_meter.h"
#include "gpu/device/resident_entry.h"
#include "gpu/device/staging.h"

namespace kvantage::gpu {

/// The device and what its copies use.
struct StagedDevice {
  DeviceMemory& memory;
  CopyMeter& meter;
  Staging& staging;
};

/// `bytes`: all of the entry's. A layer's rows are put into blocks while the layer before is copied. Stops shortly
/// after `cancelled`, without an error.
Status write_resident(const StagedDevice& device, const ResidentEntry& entry, std::span<const std::byte> bytes,
                      const std::atomic<bool>& cancelled);

/// As EntryStore::read(): the entry's bytes are made from its blocks again, a layer at a time, and every extent of a
/// layer that is touched is verified.
TransferStatus read_as_bytes(const StagedDevice& device, const ResidentEntry& entry, ReadSink& sink,
                             const std::string& tier_name);

}  // namespace kvantage::gpu
