// PagedEviction, figure 4: throughput and score against page size.
#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/form_text.h"
#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_experiment.h"
#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline pagedeviction_figures {
namespace {

void add_page_claims(const DecodeClaims& cells, FigureResult& result) {
  DecodeClaims::Spans above_full, paged_losses, other_losses;
  for (const DecodeCell& cell : cells.cells()) {
    if (cell.eviction_method.empty()) continue;
    const std::string_view method = find_decode_method(FormText::name_of(cell.eviction_method))->name;
    const bool paged = method == "paged_eviction";
    const DecodeCell& whole = full_cache_of(cells.cells(), cell);
    if (paged) above_full.push_back(measured_ratio(whole.token_seconds, cell.token_seconds));
    const auto of_whole = paired_ratio(cell.rouge, whole.rouge);
    if (!of_whole || (!paged && method != "knorm" && method != "keydiff")) continue;
    (paged ? paged_losses : other_losses).push_back(scaled(*of_whole, -1, 1));
  }
  const auto table = std::ranges::find(result.tables, relative_throughput_title, &FigureTable::title);
  if (table != result.tables.end()) table->plot->published = {{"paper: PagedEviction, up to", nullptr, 3.1, 3.1}};
  if (!above_full.empty())  // "up to"
    add_claim(result, "pagedeviction/throughput-page-sizes", largest_of(above_full), true);
  std::set<int> sizes;
  for (const int page : {16, 32})
    if (cells.pages().contains(page)) sizes.insert(page);
  add_claim(result, "pagedeviction/page-sizes-vs-streaming-llm", cells.speeds({"streaming_llm"}, sizes), true);
  add_claim(result, "pagedeviction/page-sizes-score", paged_losses);
  add_claim(result, "pagedeviction/page-sizes-knorm-keydiff", other_losses);
}

}  // namespace

const Experiment& pagedeviction_fig4() {
  static const DecodeExperiment experiment(
      PaperFigure{
          .name = "pagedeviction/fig4",
          .paper = "pagedeviction",
          .title = "throughput and score against page size",
          .does = "Scores and times at half the prompt as budget, with pages of 8 to 128 tokens. Times are in blocks, "
                  "of as many requests as the batch side by side, with prompts of random tokens.",
          .expected = "Page size has little effect on throughput and even less on scores; PagedEviction scores a few "
                      "percent below the full cache.",
          .published = "up to 3.1 times the full cache's throughput, close to StreamingLLM at pages of 16 and 32; less "
                       "than 3 - 5 % of ROUGE lost, where KeyDiff and inverse key L2 lose up to "
                       "20 %",
          .settings = with_blocks(with_batch(decode_settings("0.5", "8,16,32,64,128", four_methods), "8")),
          .more = options_of_decoding(),
          .quick = quick_batch()},
      {.scores = true, .times = true, .by_pages = true}, add_page_claims);
  return experiment;
}

}  // namespace kvantage::inline pagedeviction_figures
