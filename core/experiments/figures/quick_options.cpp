// Options that make a figure in seconds: short texts, few contexts, small models.
#include <algorithm>
#include <utility>

#include "core/experiments/figures/reproduction.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::inline figures {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

Options joined(std::initializer_list<Options> lists) {
  Options all;
  for (const Options& one : lists) all.insert(all.end(), one.begin(), one.end());
  return all;
}

/// Figures on a model of random weights.
Options random_options(const std::string& figure) {
  Options little{{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}};
  const Options one_block{{"--blocks", "2"}};
  if (figure == "kvpr/table1") return {{"--context-tokens", "128"}, {"--answer-tokens", "8"}, {"--blocks", "2"}};
  if (figure == "kvpr/fig7")
    return {{"--width", "256"}, {"--context-tokens", "256"}, {"--answer-tokens", "8"}, {"--blocks", "2"}};
  if (figure == "kvpr/context-load") return {{"--width", "256"}, {"--context-tokens", "192"}, {"--blocks", "2"}};
  if (figure == "kvpr/fig3") return little;
  if (figure == "kvpr/table2")  // up to 32 sequences
    return {{"--width", "256"}, {"--context-tokens", "64"}, {"--answer-tokens", "8"}, {"--blocks", "2"}};
  if (figure == "kvpr/fig6") return joined({little, one_block, {{"--max-batch", "3"}}});
  if (figure == "kvpr/table5" || figure == "kvpr/fig13") return joined({little, one_block, {{"--max-batch", "2"}}});
  if (figure == "pagedeviction/throughput")
    return {{"--width", "256"},        {"--context-tokens", "64"},
            {"--answer-tokens", "32"}, {"--budgets", "32,64"},
            {"--contexts", "3"},       {"--max-batch", "2"},
            {"--blocks", "2"},         {"--eviction-methods", "paged_eviction,knorm"}};
  if (figure == "compaction/long-decode")
    return {{"--width", "256"},
            {"--context-tokens", "64"},
            {"--answer-tokens", "64"},
            {"--budgets", "32"},
            {"--eviction-methods", "paged_eviction,knorm"}};
  return joined({little, one_block});
}

/// Figures of decode-time eviction on the model.
Options decode_options(const PaperFigure& figure) {
  if (figure.name == "compaction/overheads")
    return {{"--context-tokens", "200"}, {"--eviction-methods", "knorm,snapkv"}};
  Options options{{"--contexts", "1"},  {"--context-tokens", "200"}, {"--answer-tokens", "24"},
                  {"--budgets", "0.5"}, {"--page-tokens", "16"},     {"--eviction-methods", "streaming_llm,knorm"}};
  if (std::ranges::find(figure.settings, "--blocks", &FigureSetting::option) != figure.settings.end())
    options.emplace_back("--blocks", "1");
  return options;
}

/// Figures over a workload.
Options served_options(const std::string& figure, const std::string& workload) {
  const Options curves{{"--workload", workload}}, served = joined({curves, {{"--seeds", "1"}, {"--limit", "4"}}});
  if (figure == "evicpress/fig2") return {};
  if (figure == "evicpress/fig3") return joined({curves, {{"--methods", "keydiff"}, {"--removed", "0.6"}}});
  if (figure == "evicpress/fig4") return joined({curves, {{"--methods", "keydiff,knorm"}, {"--removed", "0.6"}}});
  if (figure == "evicpress/fig5") return joined({curves, {{"--methods", "keydiff"}, {"--removed", "0.3,0.6"}}});
  if (figure == "evicpress/fig8")
    return joined({served,
                   {{"--methods", "keydiff,kivi4"},
                    {"--removed", "0.6"},
                    {"--rate", "20"},
                    {"--policy", "lru,evicpress"},
                    {"--alpha", "0.3"}}});
  if (figure == "evicpress/fig10") return joined({served, {{"--rate", "20"}, {"--alpha", "0.3"}}});
  if (figure == "evicpress/limits") return joined({curves, {{"--seeds", "1"}, {"--limit", "2"}, {"--policy", "lru"}}});
  if (figure == "adaptcache/fig2")
    return joined({served,
                   {{"--rate", "20"},
                    {"--policy", "lru,fixed(kivi4,0),adaptcache"},
                    {"--methods", "kivi4,streaming_llm"},
                    {"--removed", "0.5"},
                    {"--alpha", "0.3"}}});
  return joined(
      {served,
       {{"--policy", "full_prefill,lru,fixed(keydiff,0.6),evicpress"}, {"--alpha", "0.3"}, {"--budgets", "0.5"}}});
}

}  // namespace

std::vector<std::pair<std::string, std::string>> quick_options(const std::string& figure, const std::string& workload) {
  const PaperFigure* known = find_paper_figure(figure);
  if (known == nullptr) return {};
  if (known->random_weights || figure == "pagedeviction/throughput" || figure == "compaction/long-decode")
    return random_options(known->name);
  if (known->paper == "evicpress" || known->paper == "adaptcache") return served_options(known->name, workload);
  return decode_options(*known);
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
