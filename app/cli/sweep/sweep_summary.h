// The results of a sweep as a table that fits a terminal; with --details as sweep_table.h prints them.
#pragma once

#include <string>

#include "core/sweep/sweep_table.h"

namespace kvantage::cli {

/// One row per policy, alpha, budget and rate: seeds, TTFT in service (ms), quality, hits; * on the frontier. Alpha,
/// budget and rate are columns only where they differ. Below it what failed and the machines, as with --details.
std::string sweep_summary(const SweepTable& table);

}  // namespace kvantage::cli
