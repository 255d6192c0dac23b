#include "core/experiments/figures/compaction/figures.h"

namespace kvantage::inline compaction_figures {

std::vector<const Experiment*> compaction_experiments() {
  return {
#define KV_FIGURE(name) &name(),
#include "core/experiments/figures/compaction/figures.inl"
#undef KV_FIGURE
  };
}

}  // namespace kvantage::inline compaction_figures
