// The forms of a comparison of runs.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/compare_runs.h"

namespace kvantage {

std::string to_text(const RunComparison& comparison);
Json to_json(const RunComparison& comparison);
/// One value a line: setting or figure, run, value, unit, interval, n, difference and its interval, judgement.
std::string to_csv(const RunComparison& comparison);
/// Two tables: the settings that differ, the figures; one column a run.
std::string to_latex(const RunComparison& comparison);

}  // namespace kvantage
