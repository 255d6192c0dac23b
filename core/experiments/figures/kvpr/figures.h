// Figures of KVPR: one file and one row in figures.inl each.
#pragma once

#include <vector>

#include "core/experiments/studies/experiment.h"

namespace kvantage::inline kvpr_figures {

#define KV_FIGURE(name) const Experiment& name();
#include "core/experiments/figures/kvpr/figures.inl"
#undef KV_FIGURE

/// In the order of the rows.
std::vector<const Experiment*> kvpr_experiments();

}  // namespace kvantage::inline kvpr_figures
