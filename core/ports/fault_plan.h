// Injected disk faults in text form: which kinds, how often, how long. tiers/faulty_device.h injects them; options,
// settings and recorded runs share this form:
//   flip_on_read:0.01+read_error:0.005+delay_on_read:20ms@0.1+seed:7
// Kinds are joined by "+". A kind has a probability per device call, above 0 up to 1. A delay has a time and, after
// "@", its probability (default 1); `delay` sets both delays. `space` is bytes. The seed decides which calls get a
// fault (default 1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline ports {

struct FaultDelay {
  double probability = 0;
  double seconds = 0;
  bool operator==(const FaultDelay&) const = default;
};

/// Probabilities per call, 0 to 1.
struct FaultPlan {
  double flip_on_read = 0;   // one bit of the data read is flipped; the file is intact
  double flip_on_write = 0;  // one bit of the data written is flipped
  double torn_write = 0;     // only the leading 4 KiB blocks are written; the call reports success
  double short_read = 0;     // the read ends early, as at the end of a file
  double read_error = 0;     // EIO
  double write_error = 0;
  double no_space = 0;             // ENOSPC
  double sync_error = 0;           // file and directory flushes
  double lost_sync = 0;            // a file flush that reports success and does nothing: visible only after a power cut
  FaultDelay delay_on_read = {};   // before a read
  FaultDelay delay_on_write = {};  // before a write or a flush
  std::uint64_t space_bytes = 0;   // total file size that fits; 0 = no limit

  /// Whether any fault is possible.
  bool any() const { return *this != FaultPlan{}; }
  /// Whether transfers are delayed: their times then count as throttled.
  bool slows() const { return delay_on_read.probability > 0 || delay_on_write.probability > 0; }
  bool operator==(const FaultPlan&) const = default;
};

struct InjectedFaults {
  FaultPlan plan = {};
  std::uint64_t seed = 1;
  bool operator==(const InjectedFaults&) const = default;
};

inline constexpr double longest_fault_delay = 10;  // seconds: bounds the time of operations in flight

/// Kinds with only a probability, as written: "flip_on_read", ...
std::vector<std::string> fault_kinds();
/// The probability of such a kind; null for any other name.
double* probability_of(FaultPlan& plan, std::string_view kind);

/// Parses the text form; empty: no faults. usage error that names the part and how to fix it.
Expected<InjectedFaults> parse_faults(std::string_view text);
/// Canonical: parse_faults reads it back; empty without faults. Equal faults have equal text.
std::string to_string(const InjectedFaults& faults);

}  // namespace kvantage::inline ports
