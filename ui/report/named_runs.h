// The runs of a report as its pages call them: A, B, C, with their differences in words.
#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report_pages {

struct NamedRun {
  std::string letter, name;  // "A", the row's policy
  std::string differs;       // "alpha 0.5 s; dram 64.0 MiB"; empty: in its policy alone
};

/// One per row. Of two runs or more, `differs` has each of alpha, budgets, throttled tiers and injected faults that is
/// not the same in all rows, and with a baseline the other settings that differ from it.
std::vector<NamedRun> named_runs(const RunReport& report);
/// "A" to "Z", then "AA", "AB".
std::string letter_of_run(std::size_t run);
/// Of the run of this name; empty: no row has it.
std::string letter_of(const std::vector<NamedRun>& runs, const std::string& name);

}  // namespace kvantage::inline report_pages
