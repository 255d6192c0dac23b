// Names of the runs that the Frontier holds: made from the settings that differ. Any thread.
#pragma once

#include <QString>
#include <vector>

#include "core/base/json.h"

namespace kvantage {

/// The shortest text of settings that tells the runs and the present one apart as far as their settings do:
/// "α 0.0500 · dram 12.0 MiB". Policy, α and budgets are preferred to others. Runs with equal texts, or whose settings
/// are all the same, have a letter behind it: "A", "B". `runs`, `present`: as RunSummary::settings ("settings",
/// "environment"); null: not known.
std::vector<QString> held_names(const std::vector<Json>& runs, const Json& present);
/// Every setting of `run` that differs from the present one, in the same form; empty: none.
QString held_difference(const Json& run, const Json& present);

}  // namespace kvantage
