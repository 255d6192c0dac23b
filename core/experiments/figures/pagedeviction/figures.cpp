#include "core/experiments/figures/pagedeviction/figures.h"

namespace kvantage::inline pagedeviction_figures {

std::vector<const Experiment*> pagedeviction_experiments() {
  return {
#define KV_FIGURE(name) &name(),
#include "core/experiments/figures/pagedeviction/figures.inl"
#undef KV_FIGURE
  };
}

}  // namespace kvantage::inline pagedeviction_figures
