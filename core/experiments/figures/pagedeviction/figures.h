// Figures of PagedEviction: one file and one row in figures.inl each.
#pragma once

#include <vector>

#include "core/experiments/studies/experiment.h"

namespace kvantage::inline pagedeviction_figures {

#define KV_FIGURE(name) const Experiment& name();
#include "core/experiments/figures/pagedeviction/figures.inl"
#undef KV_FIGURE

/// In the order of the rows.
std::vector<const Experiment*> pagedeviction_experiments();

}  // namespace kvantage::inline pagedeviction_figures
