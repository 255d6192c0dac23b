// Reasons of misses and failed writes as people read them. Files and JSON keep the names (docs/metrics.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/ports/events.h"

namespace kvantage::inline ports {

/// "first_contact" -> "first request"; other names stay as they are.
inline std::string_view reason_text(std::string_view reason) {
  if (reason == compulsory_miss) return "first request";
  if (reason == recompute_was_faster_reason) return "recompute was faster";
  return reason == "cancelled" ? "canceled" : reason;
}

/// TierStatistics::misses without canceled reads: a reader that no longer needs its bytes says nothing of the tier.
inline std::map<std::string, std::uint64_t> failed_reads(std::map<std::string, std::uint64_t> misses) {
  misses.erase("cancelled");
  return misses;
}

}  // namespace kvantage::inline ports
