// How long the cells of an experiment take: from cells that were measured before, or from the session's fits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/types.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage {

struct RequestPace {
  double seconds = 0;              // of one request, its share of opening and warming up included
  std::size_t measured_cells = 0;  // 0: from the fits, an upper bound
};

/// Seconds of serving each cell ("cell_seconds" of its result); failed cells and those of other programs have none.
std::vector<double> cell_seconds_of(const std::map<std::string, Json>& results);
/// The median request of measured cells ("cell_seconds" / "requests"); nothing without any.
std::optional<RequestPace> pace_of_results(const std::vector<const std::map<std::string, Json>*>& results);
/// As if every request recomputed its context, without the answer's tokens; nothing before contexts are known.
std::optional<RequestPace> pace_of_fits(const Snapshot& snapshot);
/// Of all cells, one after the other. A cell with a rate takes at least requests / rate.
double seconds_of_cells(const std::vector<SweepCell>& cells, const RequestPace& pace, std::uint64_t requests);

}  // namespace kvantage
