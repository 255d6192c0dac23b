// AdaptCache, figures 1 and 2: its policy against one method and rate for all contexts, under Poisson arrivals.
#include "core/experiments/figures/adaptcache/figures.h"
#include "core/experiments/figures/adaptcache/fixed_forms.h"
#include "core/experiments/studies/quality_experiment.h"

namespace kvantage::inline adaptcache_figures {

const Experiment& adaptcache_fig2() {
  static const FixedForms experiment(
      PaperFigure{
          .name = "adaptcache/fig2",
          .paper = "adaptcache",
          .title = "AdaptCache versus one method and rate for all contexts, Poisson arrivals",
          .does = "AdaptCache's policy against KIVI at 8, 4 and 2 bits and StreamingLLM at its rates, each with LRU, "
                  "under Poisson arrivals; also hits of the fast tier (its figure 1). The same runs serve the paper's "
                  "three tasks, each by its own metric against the answer with uncompressed KV: F1 of short answers, "
                  "ROUGE-L of long ones, CodeBLEU of code. The model is reference-mha.",
          .expected =
              "Lower TTFT than any fixed configuration of equal quality, higher quality than any of equal TTFT, "
              "and a higher hit rate of the fast tier.",
          .published = "1.43 - 2.4 times lower TTFT at equal quality and 6 - 55 % higher quality at equal TTFT than "
                       "fixed compression; TTFT 69 % lower than KIVI's at equal quality",
          .settings = fixed_forms_settings(adaptcache_workload, adaptcache_metric),
          .records_runs = true,
          .also = {"adaptcache/fig1"},
          .more = fixed_forms_more(),
          .quick = quick_fixed_forms(),
          .brief = {{"--limit", "108"}, {"--budgets", "0.05,0.07,0.1"}}},
      adaptcache_metric);
  return experiment;
}

}  // namespace kvantage::inline adaptcache_figures
