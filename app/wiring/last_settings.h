// What a user had set when a workload was served last, over what its folder says.
#pragma once

#include <string>
#include <vector>

#include "core/ports/session.h"

namespace kvantage {

/// Everything but tiers, archive, request limit and quality metric; of the tiers that there still are, budgets and
/// shapes. Faults are not taken over.
void take_over(SessionSettings& settings, const SessionSettings& last);
/// What is said of faults that had been put into tiers by hand: they are not put there again, as whoever starts the
/// program does not expect reads to fail. Empty where there were none, or where the tier has the very same by its own
/// settings.
std::string faults_left_out(const SessionSettings& settings, const SessionSettings& last);
/// Suggested tiers, as "dram=12288KiB", with the budgets that those of their names had.
std::vector<std::string> with_last_budgets(std::vector<std::string> suggested, const SessionSettings& last);

}  // namespace kvantage
