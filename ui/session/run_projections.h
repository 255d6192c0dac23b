// What of a RunModel follows the events of its run.
#pragma once

#include <memory>
#include <vector>

#include "ui/session/run_projection.h"

namespace kvantage {

class RunModel;

/// A row for each such model of `run`, which outlives them. In the order in which they get each event.
std::vector<std::unique_ptr<RunProjection>> run_projections(RunModel& run);

}  // namespace kvantage
