// All figures: the list behind paper_figures(), the command line, the window and the tests.
#pragma once

#include <string_view>
#include <vector>

#include "core/experiments/studies/experiment.h"

namespace kvantage::inline figures {

/// In the order of the papers.
const std::vector<const Experiment*>& all_experiments();
/// By any of the figure's names, also an earlier one. Null: unknown figure.
const Experiment* find_experiment(std::string_view name);

}  // namespace kvantage::inline figures
