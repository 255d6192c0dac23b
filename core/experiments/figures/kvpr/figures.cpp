#include "core/experiments/figures/kvpr/figures.h"

namespace kvantage::inline kvpr_figures {

std::vector<const Experiment*> kvpr_experiments() {
  return {
#define KV_FIGURE(name) &name(),
#include "core/experiments/figures/kvpr/figures.inl"
#undef KV_FIGURE
  };
}

}  // namespace kvantage::inline kvpr_figures
