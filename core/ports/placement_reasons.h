// Reasons of events::PlacementFailed where nothing went wrong.
#pragma once

#include <string_view>

namespace kvantage::inline ports {

/// A newer plan superseded a write in flight: canceled, no warning needed.
inline constexpr std::string_view superseded_reason = "superseded by a later decision";

}  // namespace kvantage::inline ports
