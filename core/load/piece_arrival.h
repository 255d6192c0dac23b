// What a tier read for a context whose pieces come one by one, for time lines.
#pragma once

#include <cstdint>

namespace kvantage::inline loading {

/// One layer of a piece: when it was there, by the clock of the tier, and what it took the tier.
struct PieceArrival {
  int piece = 0, layer = 0;
  std::int64_t arrived_ns = 0, submitted_ns = 0;
  double device_seconds = 0;
  std::uint64_t bytes = 0;
};

}  // namespace kvantage::inline loading
