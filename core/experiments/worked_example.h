// The worked example of EvicPress, figure 2: a 4 GB cache that tolerates a cut to 5 % without loss and an 8 GB cache
// that tolerates none, on a fast tier of 20 GB/s that holds 8 GB and a slow one of 2 GB/s. Simulated: nothing is run.
#pragma once

#include "core/experiments/paper_figures.h"
#include "core/policy/types.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

Snapshot worked_example();

struct WorkedOutcome {
  double total_ttft_seconds = 0, mean_quality = 0;
};
/// Both contexts enter in order under a policy; then each is requested once. usage error for an unknown policy.
Expected<WorkedOutcome> work_example(const std::string& policy);

/// Figure evicpress/fig2.
FigureResult figure_worked_example(const PaperFigure& figure);

}  // namespace kvantage::inline experiments
