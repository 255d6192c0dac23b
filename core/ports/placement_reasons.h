// Reasons that events::PlacementFailed gives where nothing went wrong.
#pragma once

#include <string_view>

namespace kvantage {

/// A write was under way when a newer plan wanted something else: given up, and nothing to warn of.
inline constexpr std::string_view superseded_reason = "a later decision took its place";

}  // namespace kvantage
