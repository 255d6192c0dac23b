// Every eviction method on long answers at equal budget.
#include <array>
#include <utility>
#include <vector>

#include "core/base/form_text.h"
#include "core/base/statistics.h"
#include "core/experiments/figures/compaction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_experiment.h"
#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline compaction_figures {
namespace {

/// Scores as shares of the full cache's at one budget, beside the article's accuracies over those of full attention.
FigureTable shares_table(const DecodeClaims& cells, double budget) {
  FigureTable table{"Scores over the full cache's at the smallest budget, 95 % intervals over texts",
                    {"eviction method", "score %", "low", "high", "budget tokens", "n"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "eviction method",
                          .y = {"score %"},
                          .y_title = "ROUGE-L over the full cache's, %",
                          .published = {{"article: AIME 2024", "r_kv", 44.5, 44.5},
                                        {"article: AIME 2024", "triattention", 73.7, 73.7},
                                        {"article: AIME 2025", "r_kv", 42.9, 42.9},
                                        {"article: AIME 2025", "triattention", 80.6, 80.6}}};
  for (const DecodeCell& cell : cells.cells()) {
    if (cell.eviction_method.empty() || cell.budget_fraction != budget || cell.page_tokens != cells.first_page())
      continue;
    const auto share = paired_ratio(cell.rouge, cells.full().rouge);
    if (!share) continue;
    std::vector<Json> row{FormText::name_of(cell.eviction_method)};
    add_interval_cells(row, scaled(*share, 100));
    row.emplace_back(cell.budget_tokens);
    row.emplace_back(cell.rouge.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_answer_claims(const DecodeClaims& cells, FigureResult& result) {
  DecodeClaims::Spans memory;
  for (const double budget : cells.budgets())
    if (const DecodeCell* quest = cells.cell_of("quest", budget, cells.first_page()))
      memory.push_back(exactly(quest->peak_bytes / cells.full().peak_bytes));
  add_claim(result, "compaction/quest-memory", memory);
  const double least = *cells.budgets().begin();
  if (FigureTable shares = shares_table(cells, least); !shares.rows.empty()) result.tables.push_back(std::move(shares));
  for (const auto& [method, claims] :
       {std::pair{"r_kv", std::array{"compaction/aime-2024-r-kv", "compaction/aime-2025-r-kv"}},
        std::pair{"triattention",
                  std::array{"compaction/aime-2024-triattention", "compaction/aime-2025-triattention"}}})
    if (const DecodeCell* cell = cells.cell_of(method, least, cells.first_page()))
      if (const auto share = paired_ratio(cell->rouge, cells.full().rouge))
        for (const char* claim : claims) add_claim(result, claim, *share);
  const DecodeCell* best = nullptr;
  for (const DecodeCell& cell : cells.cells()) {
    const DecodeMethodInfo* info = find_decode_method(FormText::name_of(cell.eviction_method));
    if (info == nullptr || info->selects || cell.budget_fraction != least || cell.page_tokens != cells.first_page())
      continue;
    if (best == nullptr || mean_of(cell.rouge) > mean_of(best->rouge)) best = &cell;
  }
  if (best != nullptr)
    add_claim(result, "compaction/loss-at-2048", scaled(paired_difference(cells.full().rouge, best->rouge), 100));
}

}  // namespace

const Experiment& compaction_decode() {
  static const DecodeExperiment experiment(
      PaperFigure{
          .name = "compaction/decode",
          .paper = "compaction",
          .title = "every eviction method on long answers at equal budget",
          .does = "Nine eviction methods and Quest's page selection decode the same ledgers at equal budgets: scores, "
                  "times, blocks, score buffers.",
          .expected =
              "Eviction methods that use attention weights score best and are slowest; Quest reads fewer rows and "
              "frees none.",
          .published =
              "Qwen3-8B, AIME 2024 at a budget of 2048: full attention 57.1 %, TriAttention 42.1, SnapKV 34.6, "
              "R-KV 25.4; AIME 2025: 40.8, 32.9, 20.0, 17.5",
          .settings = with_blocks(decode_settings(
              "0.25,0.5,0.75", "16",
              "streaming_llm,h2o,scissorhands,tova,r_kv,triattention,paged_eviction,knorm,keydiff,quest")),
          .also = {"decode"},  // its id before
          .more = options_of_decoding(),
          .quick = quick_answers(true)},
      {.scores = true, .times = true}, add_answer_claims);
  return experiment;
}

}  // namespace kvantage::inline compaction_figures
