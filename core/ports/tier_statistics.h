// Counters of a storage tier, for the window, the report and the fits. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/device_gauges.h"

namespace kvantage::inline ports {

/// One finished read or write: a sample for fitting seconds = latency + bytes / bandwidth.
struct TransferSample {
  std::uint64_t bytes = 0;
  double seconds = 0;  // on the device, throttling included, verification excluded
  bool write = false;
};

/// What others did in a shared store.
struct SharedStoreCounts {
  std::uint64_t appeared = 0;  // entries added by other processes since it was opened
  std::uint64_t vanished = 0;  // entries removed by other processes or the server
  std::uint64_t unsealed = 0;  // entries not used: their seal does not fit its key
};

/// What storage takes for entries, as it says itself: disk blocks of a folder, memory of a server.
struct StorageUse {
  std::uint64_t occupied_bytes = 0;
  std::uint64_t entry_bytes = 0;  // of the same entries, as counted here
};

struct TierStatistics : SharedStoreCounts {
  std::uint64_t reads = 0;       // tickets whose extents all arrived correctly
  std::uint64_t read_bytes = 0;  // requested extents, without alignment padding
  std::uint64_t writes = 0;      // entries durable and visible
  std::uint64_t written_bytes = 0;
  std::uint64_t erased = 0;
  std::uint64_t dropped = 0;  // entries dropped because a read or the scrub found them corrupt
  /// Failed reads, by reason: absent (no such entry), missing (file gone), truncated, checksum, device, unavailable (a
  /// remote store that does not respond), replaced (another workbench stored another version), cancelled, rejected (an
  /// invalid request).
  std::map<std::string, std::uint64_t> misses;
  std::map<std::string, std::uint64_t> failed_writes;  // by ErrorCode name: "no_space", "io", ...
  std::uint64_t scrubbed = 0;                          // entries verified by the background scrub
  std::uint64_t scrubbed_bytes = 0;
  std::uint64_t reusable_bytes = 0;     // space in its files that no entry uses
  std::uint64_t overhead_bytes = 0;     // store headers and padding of visible entries, not in used_bytes()
  std::uint64_t recovered = 0;          // entries found on opening
  std::uint64_t swept_files = 0;        // torn or outdated entries and files removed on opening
  std::uint64_t unreadable_files = 0;   // left untouched on opening: the device failed to read them
  std::vector<TransferSample> samples;  // the latest, oldest first
  /// Injected faults in its files, by kind (core/ports/fault_plan.h). The counters above show what was detected.
  std::map<std::string, std::uint64_t> injected_faults = {};
  std::optional<DeviceGauges> device = {};  // of a tier in a device's memory
  std::optional<StorageUse> storage = {};   // of one whose storage tells it
  std::string unreadable = {};              // why the first of unreadable_files was left untouched, in one line
};

}  // namespace kvantage::inline ports
