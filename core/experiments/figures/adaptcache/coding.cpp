// AdaptCache's coding task, for which section 3 gives hit rates: the study of figure 2 on code alone.
#include <utility>

#include "core/experiments/figures/adaptcache/figures.h"
#include "core/experiments/figures/adaptcache/fixed_forms.h"
#include "core/experiments/studies/quality_experiment.h"

namespace kvantage::inline adaptcache_figures {
namespace {

// A build may lack the parser of code, and texts of quick_workload() are no code.
std::vector<std::pair<std::string, std::string>> quick_coding() {
  auto quick = quick_fixed_forms();
  quick.emplace_back("--quality-metric", "token_f1@prefill");
  return quick;
}

}  // namespace

const Experiment& adaptcache_coding() {
  static const FixedForms experiment(
      PaperFigure{
          .name = "adaptcache/coding",
          .paper = "adaptcache",
          .title = "The coding task: AdaptCache versus one method and rate for all contexts",
          .does = "The study of adaptcache/fig2 on modules of Python, each asked for its next statement. Quality is "
                  "CodeBLEU against the answer with uncompressed KV; the model is reference-mha.",
          .expected = "A higher hit rate of the fast tier than 2-bit KIVI with LRU, and a lower one the more quality "
                      "is worth.",
          .published = "DRAM hit rate 81, 56, 44 and 11 % for four weights between delay and quality, versus 38 % of "
                       "2-bit KIVI with LRU",
          .settings = fixed_forms_settings(coding_workload, coding_metric),
          .records_runs = true,
          .more = fixed_forms_more(),
          .quick = quick_coding(),
          .brief = {{"--budgets", "0.05,0.07,0.1"}}},
      coding_metric);
  return experiment;
}

}  // namespace kvantage::inline adaptcache_figures
