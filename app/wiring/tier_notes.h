// Hints on tiers of the command line that are valid, but perhaps not what was meant.
#pragma once

#include <string>
#include <vector>

namespace kvantage::inline wiring {

/// One line for each tier of these --tier texts whose name is nearly that of another kind ("drma" is an ssd tier),
/// unless kind= or url= says what it is. None for texts that cannot be parsed.
std::vector<std::string> tier_name_notes(const std::vector<std::string>& texts);

}  // namespace kvantage::inline wiring
