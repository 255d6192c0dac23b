// --tier of the command line: its help, and hints on tiers that are valid, but perhaps not what was meant.
#pragma once

#include <string>
#include <vector>

namespace kvantage::inline wiring {

/// What --tier takes, the same for the window and for sessions of kvantage-cli.
std::string tier_option_help();

/// One line for each tier whose budget has no unit and is so small that bytes were hardly meant ("dram=65536").
std::vector<std::string> tier_unit_notes(const std::vector<std::string>& texts);

/// One line for each tier of these --tier texts whose name is nearly that of another kind ("drma" is an ssd tier),
/// unless kind= or url= says what it is. None for texts that cannot be parsed.
std::vector<std::string> tier_name_notes(const std::vector<std::string>& texts);

}  // namespace kvantage::inline wiring
