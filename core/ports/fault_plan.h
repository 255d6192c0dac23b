// Faults of a disk on purpose, as users write them: which kinds, how often, how long. What strikes with them is
// tiers/faulty_device.h; here is the text form, which options, settings and recorded runs share:
//   flip_on_read:0.01+read_error:0.005+delay_on_read:20ms@0.1+seed:7
// Kinds are joined by "+". A kind has a probability per call of the device, above 0 up to 1; a delay has a time and,
// after
// "@", its probability (1 when left out); `delay` is both delays alike; `space` is bytes. The seed decides which calls
// are struck (1 when left out).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

struct FaultDelay {
  double probability = 0;
  double seconds = 0;
  bool operator==(const FaultDelay&) const = default;
};

/// Probabilities per call, 0 to 1.
struct FaultPlan {
  double flip_on_read = 0;   // one bit of what is read is wrong; the file is not
  double flip_on_write = 0;  // one bit of what is written is wrong
  double torn_write = 0;     // only the first so many 4 KiB blocks arrive; the call says all did
  double short_read = 0;     // the read ends early, as at the end of a file
  double read_error = 0;     // EIO
  double write_error = 0;
  double no_space = 0;             // ENOSPC
  double sync_error = 0;           // file and directory flushes
  double lost_sync = 0;            // a flush of a file that says done and did nothing: only a power cut shows it
  FaultDelay delay_on_read = {};   // before a read
  FaultDelay delay_on_write = {};  // before a write or a flush
  std::uint64_t space_bytes = 0;   // sum of file sizes that fits; 0 = no limit

  /// Whether anything can strike.
  bool any() const { return *this != FaultPlan{}; }
  /// Whether transfers are made slower: their times are shaped then.
  bool slows() const { return delay_on_read.probability > 0 || delay_on_write.probability > 0; }
  bool operator==(const FaultPlan&) const = default;
};

struct InjectedFaults {
  FaultPlan plan = {};
  std::uint64_t seed = 1;
  bool operator==(const InjectedFaults&) const = default;
};

inline constexpr double longest_fault_delay = 10;  // seconds: what is under way ends by then

/// Kinds with a probability alone, as written: "flip_on_read", ...
std::vector<std::string> fault_kinds();
/// The probability of such a kind; null for any other name.
double* probability_of(FaultPlan& plan, std::string_view kind);

/// Reads the text form; empty: no faults. usage error that names the part and how to mend it.
Expected<InjectedFaults> parse_faults(std::string_view text);
/// Canonical: what parse_faults reads back, empty without faults. Equal faults have equal text.
std::string to_string(const InjectedFaults& faults);

}  // namespace kvantage
