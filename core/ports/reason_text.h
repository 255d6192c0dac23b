// Reasons of misses and failed writes as people read them. Files and JSON keep the names (docs/metrics.md).
#pragma once

#include <string_view>

#include "core/ports/events.h"

namespace kvantage::inline ports {

/// "first_contact" -> "first request"; other names stay as they are.
inline std::string_view reason_text(std::string_view reason) {
  if (reason == compulsory_miss) return "first request";
  if (reason == recompute_was_faster_reason) return "recompute was faster";
  return reason == "cancelled" ? "canceled" : reason;
}

}  // namespace kvantage::inline ports
