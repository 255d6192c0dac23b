// A device with memory of its own (a GPU), as the rest of the program sees it. It comes from a module that is loaded at
// run time (gpu/device, app/wiring/gpu_module.h): who has none needs neither its libraries nor a driver.
//
// Program and module are built from one tree: besides the one C entry, C++ objects go across. accelerator_abi stands
// for their shapes, and a module with another one is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/ports/entry_store.h"

namespace kvantage {

struct AcceleratorInfo {
  std::string name;    // "NVIDIA H100 80GB HBM3"
  std::string driver;  // "CUDA 13.0, driver 13.1"
  std::uint64_t memory_bytes = 0;
};

/// Thread-safe.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual AcceleratorInfo info() const = 0;
  /// Of everything that was copied through it since it was opened.
  virtual DeviceGauges gauges() const = 0;
  /// A store in its memory, empty, for a tier of `bytes`; 0: as much as there is. Memory is taken as entries come. It
  /// may outlive the accelerator. rejected_input when that much is not free.
  virtual Expected<std::unique_ptr<EntryStore>> open_store(const std::string& name, std::uint64_t bytes) = 0;
  /// Tells that copies will go to and from this host memory as long as the handle lives: they then need no stop on the
  /// way. Page-aligned, and longer-lived than the handle. Null where the system refuses.
  virtual std::shared_ptr<void> pin(std::span<std::byte> memory) = 0;
};

/// A number for this interface, then the sizes of what goes across it: a change of either makes another one.
inline constexpr int accelerator_abi =
    1 * 100'000 +
    static_cast<int>(sizeof(AcceleratorInfo) + sizeof(DeviceGauges) + sizeof(EntryInfo) + sizeof(ReadExtent) +
                     sizeof(TierDescription) + sizeof(RecoveredEntries) + sizeof(TransferError));

/// The module's one entry: 0 and `*opened` (owned by the caller), else why not, a line of at most `reason_bytes` with
/// its end.
inline constexpr const char* accelerator_entry = "kvantage_accelerator_open";
using AcceleratorEntry = int (*)(int abi, Accelerator** opened, char* reason, std::size_t reason_bytes);

}  // namespace kvantage
