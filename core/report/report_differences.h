// What a report of several runs says of each against one of them: settings and figures of a comparison
// (compare_runs.h), in every format.
#pragma once

#include <string_view>

#include "core/report/compare_runs.h"
#include "core/report/table.h"

namespace kvantage {

/// Fills RunReport::differences; runs are called as in its rows, the second of a name with " (2)" behind it. Nothing is
/// told of a comparison of fewer than two.
void add_differences(RunReport& report, const RunComparison& comparison);

/// The place of the run that `word` names: its id, a policy that only one of them has, or a beginning that only one id
/// has. usage error that says which there are.
Expected<std::size_t> place_of_run(const std::vector<RecordedRun>& runs, std::string_view word);

/// The settings that differ and each figure's difference, one a line; empty where no baseline was chosen.
std::vector<Table> differences_tables(const RunReport& report);

/// A setting's value as people read it; "-" where it is not set.
std::string setting_text(const Json& value);
/// "60 pairs", "60 and 66" where other questions were asked, "-" of single figures.
std::string rests_on(const FigureDifference& difference);

}  // namespace kvantage
