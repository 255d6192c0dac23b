// A device with its own memory (a GPU), as the rest of the program sees it. It comes from a module that is loaded at
// run time (gpu/device, app/wiring/gpu_module.h), so machines without one need neither its libraries nor a driver.
//
// Program and module are built from one source tree: besides the one C entry point, C++ objects cross the boundary.
// accelerator_abi identifies their layout, and a module with another value is rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/ports/device_residency.h"
#include "core/ports/entry_store.h"

namespace kvantage::inline ports {

struct AcceleratorInfo {
  std::string name;    // "NVIDIA H100 80GB HBM3"
  std::string driver;  // "CUDA 13.0, driver 13.1"
  std::uint64_t memory_bytes = 0;
  std::string memory = {};  // as DeviceBlocks::memory
};

/// Thread-safe.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual AcceleratorInfo info() const = 0;
  /// Totals of all copies through it since it was opened.
  virtual DeviceGauges gauges() const = 0;
  /// From now on stores keep entries of plain rows in these blocks, if they are in its memory: a model there takes them
  /// as they are (StorageTier::resident()).
  virtual void use_blocks(const DeviceBlocks& /*blocks*/) {}
  /// An empty store in its memory, for a tier of `bytes`; 0: as much as there is. Memory is allocated as entries
  /// arrive. It may outlive the accelerator. rejected_input when that much is not free.
  virtual Expected<std::unique_ptr<EntryStore>> open_store(const std::string& name, std::uint64_t bytes) = 0;
  /// Registers host memory for copies for the lifetime of the handle: they then need no staging buffer. Page-aligned,
  /// and longer-lived than the handle. Null where the system refuses.
  virtual std::shared_ptr<void> pin(std::span<std::byte> memory) = 0;
};

/// An interface version, then the sizes of the types that cross it: changing either changes the value.
inline constexpr int accelerator_abi =
    2 * 100'000 + static_cast<int>(sizeof(AcceleratorInfo) + sizeof(DeviceGauges) + sizeof(EntryInfo) +
                                   sizeof(ReadExtent) + sizeof(TierDescription) + sizeof(RecoveredEntries) +
                                   sizeof(TransferError) + sizeof(DeviceBlocks) + sizeof(ResidentRead));

/// The module's only entry point: 0 and `*opened` (owned by the caller), else the reason, one line of at most
/// `reason_bytes` including the terminator.
inline constexpr const char* accelerator_entry = "kvantage_accelerator_open";
using AcceleratorEntry = int (*)(int abi, Accelerator** opened, char* reason, std::size_t reason_bytes);

}  // namespace kvantage::inline ports
