// What a run, or a comparison of runs, comes to: one table that fits a terminal. Everything else: tables_of().
#pragma once

#include <string>
#include <vector>

#include "core/report/compare_runs.h"
#include "core/report/table.h"

namespace kvantage::inline report {

/// One row per policy: n requests, mean and p95 of TTFT in service (ms), the chosen quality metric, requests served
/// from tiers (%) and KV bytes read from tiers per request. Means have their 95 % intervals. Columns that no row has a
/// value for are left out.
Table summary_table(const RunReport& report);

/// One row per metric and run: TTFT in service and its p95, the quality metrics, served from tiers; with the judgment
/// against the baseline. Inter-token latency, the KV cache of a request and recomputed tokens where a decode_* setting
/// differs, or where they differ significantly. Runs are named A, B, ... in their order.
Table summary_table(const RunComparison& comparison);

/// "A" for the first run of a comparison.
std::string run_letter(std::size_t run);

/// The meaning of the markers that the table has; empty if it has none.
std::string marks_of(const Table& table);

}  // namespace kvantage::inline report
