// Figures of the page on token eviction and compaction: one file and one row in figures.inl each.
#pragma once

#include <vector>

#include "core/experiments/studies/experiment.h"

namespace kvantage::inline compaction_figures {

#define KV_FIGURE(name) const Experiment& name();
#include "core/experiments/figures/compaction/figures.inl"
#undef KV_FIGURE

/// In the order of the rows.
std::vector<const Experiment*> compaction_experiments();

}  // namespace kvantage::inline compaction_figures
