#include "core/experiments/figures/adaptcache/figures.h"

namespace kvantage::inline adaptcache_figures {

std::vector<const Experiment*> adaptcache_experiments() {
  return {
#define KV_FIGURE(name) &name(),
#include "core/experiments/figures/adaptcache/figures.inl"
#undef KV_FIGURE
  };
}

}  // namespace kvantage::inline adaptcache_figures
