// Reads of a context that is loaded piece by piece, for timelines.
#pragma once

#include <cstdint>

namespace kvantage::inline loading {

/// One layer of a piece: arrival time by the tier's clock, and time on the device.
struct PieceArrival {
  int piece = 0, layer = 0;
  std::int64_t arrived_ns = 0, submitted_ns = 0;
  double device_seconds = 0;
  std::uint64_t bytes = 0;
};

}  // namespace kvantage::inline loading
