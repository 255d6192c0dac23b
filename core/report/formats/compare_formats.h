// The output formats of a run comparison.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/compare_runs.h"

namespace kvantage::inline formats {

std::string to_text(const RunComparison& comparison);
Json to_json(const RunComparison& comparison);
/// One value per line: setting or metric, run, value, unit, interval, n, difference and its interval, judgment.
std::string to_csv(const RunComparison& comparison);
/// Two tables: the settings that differ, the metrics; one column per run.
std::string to_latex(const RunComparison& comparison);

}  // namespace kvantage::inline formats
