// PagedEviction, figure 2: score against cache budget.
#include <optional>

#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_experiment.h"
#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline pagedeviction_figures {
namespace {

void add_scores_at_1024(const DecodeClaims& cells, FigureResult& result) {
  const double budget = cells.budget_of_1024();
  add_claim(result, "pagedeviction/govreport-1024", cells.score_gains({"streaming_llm", "keydiff"}, budget));
  add_claim(result, "pagedeviction/multinews-1024", cells.score_gains({"knorm", "streaming_llm"}, budget));
  add_claim(result, "pagedeviction/accuracy-vs-others", cells.score_gains({"streaming_llm"}, budget));
  DecodeClaims::Spans small;
  for (const double one : cells.budgets()) {
    if (one > budget) continue;
    const DecodeClaims::Spans ratios = cells.score_ratios({"streaming_llm", "knorm", "keydiff"}, one);
    small.insert(small.end(), ratios.begin(), ratios.end());
  }
  add_claim(result, "pagedeviction/small-budgets", small);
  const DecodeCell *paged = cells.cell_of("paged_eviction", budget, cells.first_page()),
                   *knorm = cells.cell_of("knorm", budget, cells.first_page());
  if (paged == nullptr) return;
  if (knorm != nullptr)
    add_claim(result, "pagedeviction/multinews-vs-knorm", scaled(paired_difference(paged->rouge, knorm->rouge), 100));
  add_claim(result, "pagedeviction/points-below-full",
            scaled(paired_difference(cells.full().rouge, paged->rouge), 100));
}

void add_scores_at_4096(const DecodeClaims& cells, FigureResult& result) {
  const auto share = [&cells](double budget) -> DecodeClaims::Spans {
    const DecodeCell* paged = cells.cell_of("paged_eviction", budget, cells.first_page());
    const auto of_full = paged == nullptr ? std::nullopt : paired_ratio(paged->rouge, cells.full().rouge);
    return of_full ? DecodeClaims::Spans{*of_full} : DecodeClaims::Spans{};
  };
  for (const char* claim : {"pagedeviction/govreport-4096", "pagedeviction/multinews-4096"})
    add_claim(result, claim, share(*cells.budgets().rbegin()));
  DecodeClaims::Spans large;
  for (const double budget : cells.budgets())
    if (const DecodeClaims::Spans one = share(budget); budget > DecodeClaims::small_budget)
      large.insert(large.end(), one.begin(), one.end());
  add_claim(result, "pagedeviction/large-budgets", large);
}

/// ROUGE that the paper's text prints, at our budgets that correspond to its own. Its data sets are other ones than
/// ours.
void add_published_scores(const DecodeClaims& cells, FigureResult& result) {
  const DecodeCell *at_1024 = nullptr, *at_4096 = nullptr;
  for (const DecodeCell& cell : cells.cells()) {
    if (cell.eviction_method.empty()) continue;
    if (cell.budget_fraction == cells.budget_of_1024()) at_1024 = &cell;
    if (cell.budget_fraction == *cells.budgets().rbegin()) at_4096 = &cell;
  }
  if (at_1024 == nullptr || at_4096 == nullptr) return;
  const auto add = [&](const char* label, const DecodeCell& cell, double points) {
    result.tables.front().plot->published.push_back({label, cell.budget_tokens, points / 100, points / 100});
  };
  add("paper: GovReport, PagedEviction", *at_1024, 24.5);
  add("paper: GovReport, StreamingLLM", *at_1024, 21.0);
  add("paper: GovReport, KeyDiff", *at_1024, 21.2);
  add("paper: GovReport, PagedEviction", *at_4096, 29.5);
  add("paper: GovReport, full cache", *at_4096, 30);
  add("paper: MultiNews, PagedEviction", *at_1024, 23.6);
  add("paper: MultiNews, inverse key L2", *at_1024, 22.5);
  add("paper: MultiNews, StreamingLLM", *at_1024, 22.0);
}

void add_score_claims(const DecodeClaims& cells, FigureResult& result) {
  add_published_scores(cells, result);
  add_scores_at_1024(cells, result);
  add_scores_at_4096(cells, result);
}

}  // namespace

const Experiment& pagedeviction_fig2() {
  static const DecodeExperiment experiment(
      PaperFigure{
          .name = "pagedeviction/fig2",
          .paper = "pagedeviction",
          .title = "score against cache budget",
          .does = "Decodes answers about ledgers while each eviction method keeps every head within its budget, and "
                  "scores them by ROUGE-L and token F1 against the reference answer. Budgets are shares of the prompt, "
                  "comparable to "
                  "the paper's 256 to 4096 tokens of LongBench's prompts.",
          .expected = "Scores rise with the budget up to the full cache's; PagedEviction is ahead at small budgets.",
          .published =
              "GovReport, LLaMA-3.2-1B, budget 1024: PagedEviction about 24.5, StreamingLLM 21, KeyDiff 21.2; at "
              "4096 29.5 where the full cache has 30. MultiNews, 3B, 1024: 23.6 "
              "against 22.5 (inverse key L2) and 22.0 (StreamingLLM); at 4096 it nearly matches the full cache, "
              "about 24.5",
          .settings = decode_settings(decode_budgets, "16", four_methods),
          .more = options_of_decoding(),
          .quick = quick_answers(false)},
      {.scores = true, .times = false, .f1 = true}, add_score_claims);
  return experiment;
}

}  // namespace kvantage::inline pagedeviction_figures
