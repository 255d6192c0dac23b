// PagedEviction, figure 3: throughput and time per output token against cache budget.
#include <algorithm>
#include <utility>

#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_experiment.h"
#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline pagedeviction_figures {
namespace {

/// What 1,024 tokens are of the paper's full cache: 1,024 tokens of prompt, and half of 8,192 decoded ones on average.
constexpr double share_of_1024 = 1024.0 / (1024 + 8192 / 2);

/// Tokens/s of LLaMA-1B at 1,024 tokens over the full cache's 2,200, at the budget that represents that.
void add_published_speeds(const DecodeClaims& cells, FigureResult& result) {
  const auto table = std::ranges::find(result.tables, relative_throughput_title, &FigureTable::title);
  const double budget = cells.nearest_budget(share_of_1024);
  const auto cell = std::ranges::find_if(cells.cells(), [&](const DecodeCell& one) {
    return !one.eviction_method.empty() && one.budget_fraction == budget;
  });
  if (table == result.tables.end() || cell == cells.cells().end()) return;
  for (const auto& [label, speed] : {std::pair{"paper: PagedEviction, 1B", 3020},
                                     {"paper: StreamingLLM, 1B", 2920},
                                     {"paper: inverse key L2, KeyDiff, 1B", 2170}})
    table->plot->published.push_back({label, cell->budget_tokens, speed / 2200.0, speed / 2200.0});
}

void add_speed_claims(const DecodeClaims& cells, FigureResult& result) {
  add_published_speeds(cells, result);
  add_claim(result, "pagedeviction/throughput-all-budgets", cells.speeds({"knorm", "keydiff"}, cells.pages()), true);
}

}  // namespace

const Experiment& pagedeviction_fig3() {
  static const DecodeExperiment experiment(
      PaperFigure{
          .name = "pagedeviction/fig3",
          .paper = "pagedeviction",
          .title = "throughput and time per output token against cache budget",
          .does =
              "The same number of decoding steps for every eviction method and budget, timed in blocks. As many "
              "requests as the batch decode side by side, with prompts of random tokens; the paper serves 64, which is "
              "too many for two cores. The paper's full cache has 5,120 tokens on average while it decodes; its "
              "budgets "
              "of 256 to 4,096 tokens are 5 to 80 % of them, and 6.25 to 100 % of the prompt here.",
          .expected = "Page-wise eviction methods are about as fast as StreamingLLM and faster than the full cache; "
                      "unstructured ones gain little.",
          .published =
              "LLaMA-1B, budget 1024: PagedEviction about 3020 tokens/s, StreamingLLM 2920, inverse key L2 and "
              "KeyDiff 2170, full cache 2200 (37 % more); time per output token 12, 10 "
              "and 11 % below the full cache's at 1B, 3B and 8B",
          .settings = with_blocks(with_batch(decode_settings("0.0625,0.125,0.25,0.5,1", "16", four_methods), "8")),
          .more = options_of_decoding(),
          .quick = quick_batch()},
      {.scores = false, .times = true}, add_speed_claims);
  return experiment;
}

}  // namespace kvantage::inline pagedeviction_figures
