#include "core/experiments/figures/evicpress/figures.h"

namespace kvantage::inline evicpress_figures {

std::vector<const Experiment*> evicpress_experiments() {
  return {
#define KV_FIGURE(name) &name(),
#include "core/experiments/figures/evicpress/figures.inl"
#undef KV_FIGURE
  };
}

}  // namespace kvantage::inline evicpress_figures
