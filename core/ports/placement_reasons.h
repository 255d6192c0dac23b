// Reasons of events::PlacementFailed where nothing went wrong.
#pragma once

#include <string_view>

namespace kvantage::inline ports {

/// A newer plan superseded a write in flight: canceled, no warning needed.
inline constexpr std::string_view superseded_reason = "superseded by a later decision";

/// Also for runs of earlier versions, which recorded other words.
constexpr bool is_superseded(std::string_view reason) {
  return reason == superseded_reason || reason == "a later decision took its place";
}

}  // namespace kvantage::inline ports
