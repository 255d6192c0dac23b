// What a storage tier counts about itself, for the window, the report and the fits. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ports/device_gauges.h"

namespace kvantage {

/// One finished read or write: what a fit of seconds = latency + bytes / bandwidth is made of.
struct TransferSample {
  std::uint64_t bytes = 0;
  double seconds = 0;  // on the device, shaping included, verification not
  bool write = false;
};

struct TierStatistics {
  std::uint64_t reads = 0;       // tickets whose every extent arrived right
  std::uint64_t read_bytes = 0;  // extents asked for, without what alignment adds
  std::uint64_t writes = 0;      // entries durable and visible
  std::uint64_t written_bytes = 0;
  std::uint64_t erased = 0;
  std::uint64_t dropped = 0;  // entries forgotten because a read or the scrub found them bad
  /// Reads that failed, by reason: absent (no such entry), missing (file gone), truncated, checksum, device,
  /// unavailable (a remote store that does not answer), replaced (another workbench put another version in its place),
  /// cancelled, rejected (a wrong request).
  std::map<std::string, std::uint64_t> misses;
  std::map<std::string, std::uint64_t> failed_writes;  // by ErrorCode name: "no_space", "io", ...
  std::uint64_t scrubbed = 0;                          // entries verified in the background
  std::uint64_t scrubbed_bytes = 0;
  std::uint64_t reusable_bytes = 0;     // room in its files that no entry takes now
  std::uint64_t overhead_bytes = 0;     // store headers and padding of visible entries, not in used_bytes()
  std::uint64_t recovered = 0;          // entries found at opening
  std::uint64_t appeared = 0;           // entries that other processes put into a shared store since then
  std::uint64_t vanished = 0;           // entries that other processes, or the server, took out of it
  std::uint64_t swept_files = 0;        // torn or outdated entries and files removed at opening
  std::uint64_t unreadable_files = 0;   // left alone at opening: the device refused to read them
  std::vector<TransferSample> samples;  // the latest, oldest first
  /// Faults on purpose that met its files, by kind (core/ports/fault_plan.h): what was caught shows in the counts
  /// above.
  std::map<std::string, std::uint64_t> faults_struck = {};
  std::optional<DeviceGauges> device = {};  // of a tier in a device's memory
};

}  // namespace kvantage
