// A user's last settings for a workload, which override those of its folder.
#pragma once

#include <string>
#include <vector>

#include "core/ports/session.h"

namespace kvantage::inline wiring {

/// Copies everything but tiers, archive, request limit and quality metric; for tiers that still exist, budgets and
/// throttles. Faults are not restored.
void take_over(SessionSettings& settings, const SessionSettings& last);
/// Message about manually injected faults: they are not restored, because failing reads after a restart would be
/// unexpected. Empty if there were none, or if the tier's own settings have the same.
std::string faults_left_out(const SessionSettings& settings, const SessionSettings& last);
/// Suggested tiers, as "dram=12288KiB", with the last budgets of the same names.
std::vector<std::string> with_last_budgets(std::vector<std::string> suggested, const SessionSettings& last);

}  // namespace kvantage::inline wiring
