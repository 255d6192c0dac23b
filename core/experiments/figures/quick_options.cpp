// What makes a figure in seconds: its own options, and a workload of four short contexts.
#include <algorithm>

#include "core/experiments/figures/reproduction.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::inline figures {

std::vector<std::pair<std::string, std::string>> quick_options(const PaperFigure& figure, const std::string& workload) {
  auto options = figure.quick;
  if (std::ranges::find(figure.settings, "--workload", &FigureSetting::option) != figure.settings.end())
    options.emplace_back("--workload", workload);
  return options;
}

WorkloadPreset quick_workload() {
  WorkloadPreset quick;
  quick.options.name = "quick";
  quick.options.description = "Four short contexts, on which every figure is made in seconds";
  quick.options.seed = 3;
  quick.options.families = {"registry", "news"};
  quick.options.contexts_per_family = 2;
  quick.options.min_tokens = 200;
  quick.options.max_tokens = 320;
  quick.options.profile_questions = quick.options.held_out_questions = 2;
  quick.options.arrivals.requests = 16;
  quick.session.tiers = {"dram=200KiB,bandwidth=540MB/s,latency=0.2ms", "ssd=400KiB,bandwidth=180MB/s,latency=1ms"};
  quick.session.methods = {"keydiff", "kivi4"};
  quick.session.removed_fractions = {0.6};
  return quick;
}

}  // namespace kvantage::inline figures
