// PagedEviction, figure 3: throughput and time per output token against cache budget.
#include <algorithm>
#include <utility>

#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_experiment.h"
#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline pagedeviction_figures {
namespace {

/// Tokens/s of LLaMA-1B at 1,024 tokens over the full cache's 2,200, at the budget that represents that.
void add_published_speeds(const DecodeClaims& cells, FigureResult& result) {
  const auto table = std::ranges::find(result.tables, relative_throughput_title, &FigureTable::title);
  const auto cell = std::ranges::find_if(cells.cells(), [&](const DecodeCell& one) {
    return !one.eviction_method.empty() && one.budget_fraction == cells.budget_of_1024();
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
              "The same number of decoding steps for every eviction method and budget, timed in blocks, one answer at "
              "a time on this machine's CPU.",
          .expected = "Page-wise eviction methods are about as fast as StreamingLLM and faster than the full cache; "
                      "unstructured ones gain little.",
          .published =
              "LLaMA-1B, budget 1024: PagedEviction about 3020 tokens/s, StreamingLLM 2920, inverse key L2 and "
              "KeyDiff 2170, full cache 2200 (37 % more); time per output token 12, 10 "
              "and 11 % below the full cache's at 1B, 3B and 8B",
          .settings = with_blocks(decode_settings(decode_budgets, "16", four_methods)),
          .more = options_of_decoding(),
          .quick = quick_answers(true)},
      {.scores = false, .times = true}, add_speed_claims);
  return experiment;
}

}  // namespace kvantage::inline pagedeviction_figures
