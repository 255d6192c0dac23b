// PagedEviction, figure 2: score against cache budget.
#include <algorithm>
#include <optional>
#include <set>

#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_experiment.h"
#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline pagedeviction_figures {
namespace {

/// Mean lengths of LongBench's texts in tokens: its own count in words (Bai et al. 2023), at four tokens to three
/// words.
constexpr double in_tokens(double words) { return words * 4 / 3; }
constexpr double govreport = in_tokens(8734), multinews = in_tokens(2113);
/// Of the paper's five data sets: HotpotQA, Qasper, GovReport, MultiNews and MultiFieldQA.
constexpr double all_sets = in_tokens((9151 + 3619 + 8734 + 2113 + 4559) / 5.0);

const DecodeCell* paged_at(const DecodeClaims& cells, double budget) {
  return cells.cell_of("paged_eviction", budget, cells.first_page());
}

/// The measured budgets that represent budgets of the paper, in tokens, over all its data sets.
std::set<double> budgets_for(const DecodeClaims& cells, std::initializer_list<int> tokens) {
  std::set<double> budgets;
  for (const int one : tokens) budgets.insert(cells.nearest_budget(one / all_sets));
  return budgets;
}

void add_scores_at_1024(const DecodeClaims& cells, FigureResult& result) {
  const double on_all = cells.nearest_budget(1024 / all_sets), on_news = cells.nearest_budget(1024 / multinews);
  add_claim(result, "pagedeviction/govreport-1024",
            cells.score_gains({"streaming_llm", "keydiff"}, cells.nearest_budget(1024 / govreport)));
  add_claim(result, "pagedeviction/multinews-1024", cells.score_gains({"knorm", "streaming_llm"}, on_news));
  add_claim(result, "pagedeviction/accuracy-vs-others",
            cells.score_gains({"streaming_llm", "knorm", "keydiff"}, on_all));
  DecodeClaims::Spans small;
  for (const double one : budgets_for(cells, {256, 512, 1024})) {
    const DecodeClaims::Spans ratios = cells.score_ratios({"streaming_llm", "knorm", "keydiff"}, one);
    small.insert(small.end(), ratios.begin(), ratios.end());
  }
  add_claim(result, "pagedeviction/small-budgets", small);
  const DecodeCell *paged = paged_at(cells, on_news), *knorm = cells.cell_of("knorm", on_news, cells.first_page());
  if (paged != nullptr && knorm != nullptr)
    add_claim(result, "pagedeviction/multinews-vs-knorm", scaled(paired_difference(paged->rouge, knorm->rouge), 100));
  if (const DecodeCell* all = paged_at(cells, on_all))
    add_claim(result, "pagedeviction/points-below-full",
              scaled(paired_difference(cells.full().rouge, all->rouge), 100));
}

void add_scores_at_4096(const DecodeClaims& cells, FigureResult& result) {
  const auto share = [&cells](double budget) -> DecodeClaims::Spans {
    const DecodeCell* paged = paged_at(cells, budget);
    const auto of_full = paged == nullptr ? std::nullopt : paired_ratio(paged->rouge, cells.full().rouge);
    return of_full ? DecodeClaims::Spans{*of_full} : DecodeClaims::Spans{};
  };
  add_claim(result, "pagedeviction/govreport-4096", share(cells.nearest_budget(4096 / govreport)));
  add_claim(result, "pagedeviction/multinews-4096", share(cells.nearest_budget(4096 / multinews)));
  DecodeClaims::Spans large;
  for (const double budget : budgets_for(cells, {2048, 4096})) {
    const DecodeClaims::Spans one = share(budget);
    large.insert(large.end(), one.begin(), one.end());
  }
  add_claim(result, "pagedeviction/large-budgets", large);
}

/// ROUGE that the paper's text prints, at our budgets that correspond to its own. Its data sets are other ones than
/// ours.
void add_published_scores(const DecodeClaims& cells, FigureResult& result) {
  const auto add = [&](const char* label, double share, double points) {
    const double budget = cells.nearest_budget(share);
    const auto cell = std::ranges::find_if(cells.cells(), [budget](const DecodeCell& one) {
      return !one.eviction_method.empty() && one.budget_fraction == budget;
    });
    if (cell != cells.cells().end())
      result.tables.front().plot->published.push_back({label, cell->budget_tokens, points / 100, points / 100});
  };
  add("paper: GovReport, PagedEviction", 1024 / govreport, 24.5);
  add("paper: GovReport, StreamingLLM", 1024 / govreport, 21.0);
  add("paper: GovReport, KeyDiff", 1024 / govreport, 21.2);
  add("paper: GovReport, PagedEviction", 4096 / govreport, 29.5);
  add("paper: GovReport, full cache", 4096 / govreport, 30);
  add("paper: MultiNews, PagedEviction", 1024 / multinews, 23.6);
  add("paper: MultiNews, inverse key L2", 1024 / multinews, 22.5);
  add("paper: MultiNews, StreamingLLM", 1024 / multinews, 22.0);
}

void add_score_claims(const DecodeClaims& cells, FigureResult& result) {
  add_published_scores(cells, result);
  add_scores_at_1024(cells, result);
  add_scores_at_4096(cells, result);
}

/// Texts of several kinds instead of ledgers alone.
std::vector<FigureSetting> settings_of_kinds() {
  auto settings = decode_settings("0.03125,0.0625,0.09375,0.125,0.25,0.375,0.5,1", "16", four_methods);
  for (FigureSetting& setting : settings) {
    if (setting.option == "--contexts") {
      setting.label = "Texts of each kind";
      setting.standard = "4";
      setting.tip = "Ledgers, news and stories each, with one question per text";
    } else if (setting.option == "--context-tokens") {
      setting.tip = "Length of a text";
    } else if (setting.option == "--seed") {
      setting.tip = "Seed of the texts";
    }
  }
  return settings;
}

}  // namespace

const Experiment& pagedeviction_fig2() {
  static const DecodeExperiment experiment(
      PaperFigure{
          .name = "pagedeviction/fig2",
          .paper = "pagedeviction",
          .title = "score against cache budget",
          .does =
              "Decodes answers about ledgers, which are long, and about news and stories, which are short, while "
              "each eviction method keeps every head within its budget. Scores them by ROUGE-L and token F1 "
              "against the reference answer. Budgets are shares of the prompt. The five data sets of the paper have "
              "prompts of 7,500 tokens on average: its budgets of 256, 512, 1,024, 2,048 and 4,096 tokens are 3.4, "
              "6.8, 14, 27 and 55 % of them. GovReport's prompts have 11,600 tokens, of which 1,024 and 4,096 are "
              "9 and 35 %; MultiNews' have 2,800, of which 1,024 are 36 %, and 4,096 hold all. Each number of the "
              "paper is compared at the nearest budget here.",
          .expected = "Scores rise with the budget up to the full cache's; PagedEviction is ahead at small budgets.",
          .published =
              "GovReport, LLaMA-3.2-1B, budget 1024: PagedEviction about 24.5, StreamingLLM 21, KeyDiff 21.2; at "
              "4096 29.5 where the full cache has 30. MultiNews, 3B, 1024: 23.6 "
              "against 22.5 (inverse key L2) and 22.0 (StreamingLLM); at 4096 it nearly matches the full cache, "
              "about 24.5",
          .settings = settings_of_kinds(),
          .more = options_of_decoding(),
          .quick = quick_answers(false)},
      {.scores = true, .times = false, .f1 = true, .kinds = {"ledger", "news", "story"}}, add_score_claims);
  return experiment;
}

}  // namespace kvantage::inline pagedeviction_figures
