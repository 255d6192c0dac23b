// PagedEviction, section 5.4: throughput of many requests side by side.
#include <algorithm>
#include <utility>

#include "core/experiments/figures/pagedeviction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_settings.h"
#include "core/experiments/studies/throughput_cells.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline pagedeviction_figures {
namespace {

/// PagedEviction beside the full cache and the other methods at one budget.
std::vector<std::string> paged_findings(const std::string& where, const std::vector<ThroughputCell>& cells) {
  std::vector<std::string> findings;
  for (const int budget : budgets_of(cells)) {
    const ThroughputCell* paged = cell_of(cells, "paged_eviction", budget);
    if (paged == nullptr) continue;
    const std::string begin = where + ", budget " + std::to_string(budget) + ": paged_eviction has ";
    const auto add = [&](const std::string& other, const ThroughputCell& cell) {
      std::string text = begin;
      text += short_number(measured_ratio(paged->tokens_per_second(), cell.tokens_per_second()).low);
      text += " times the throughput of ";
      text += other;
      findings.push_back(std::move(text));
    };
    add("the full cache", cells.front());
    for (const char* other : {"streaming_llm", "knorm", "keydiff"})
      if (const ThroughputCell* cell = cell_of(cells, other, budget)) add(other, *cell);
  }
  return findings;
}

/// As the paper: all requests side by side, at the largest budget, which is as long as the prompt there.
void add_throughput_claims(const std::vector<ThroughputCell>& cells, FigureResult& result) {
  const auto budgets = budgets_of(cells);
  if (budgets.empty()) return;
  const int budget = std::ranges::max(budgets);
  const ThroughputCell &full = cells.front(), *paged = cell_of(cells, "paged_eviction", budget),
                       *streaming = cell_of(cells, "streaming_llm", budget);
  const auto speed = [](const ThroughputCell& above, const ThroughputCell& below) {
    return measured_ratio(above.tokens_per_second(), below.tokens_per_second());
  };
  std::vector<MeasuredSpan> gains, unstructured;
  for (const char* other : {"knorm", "keydiff"})
    if (const ThroughputCell* cell = cell_of(cells, other, budget)) {
      unstructured.push_back(speed(*cell, full));
      if (paged != nullptr) gains.push_back(scaled(speed(*paged, *cell), 1, -1));
    }
  add_claim(result, "pagedeviction/throughput-vs-knorm-keydiff", gains, true);
  add_claim(result, "pagedeviction/unstructured-vs-full", unstructured, true);
  if (paged == nullptr) return;
  add_claim(result, "pagedeviction/throughput-vs-full", scaled(speed(*paged, full), 1, -1), true);
  const MeasuredSpan saving = scaled(measured_ratio(paged->token_seconds(), full.token_seconds()), -1, 1);
  for (const char* claim : {"pagedeviction/latency-all-models", "pagedeviction/tpot-1b"})
    add_claim(result, claim, saving, true);
  if (streaming == nullptr) return;
  add_claim(result, "pagedeviction/throughput-vs-streaming-llm", scaled(speed(*paged, *streaming), 1, -1), true);
  add_claim(result, "pagedeviction/tpot-vs-streaming-llm",
            measured_ratio(paged->token_seconds(), streaming->token_seconds()), true);
}

Expected<FigureResult> throughput_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(const auto settings, throughput_evictions(arguments));
  ThroughputBench bench(arguments);
  KV_TRY(bench.open());
  const int batch = std::max(1, arguments.max_batch), many = std::max(batch, arguments.contexts);
  FigureResult result = bench.begin(figure);
  result.settings["side by side"] = batch;
  arguments.lines->expect_cells(2 * (settings.size() + 1) * static_cast<std::size_t>(arguments.blocks));
  KV_ASSIGN(const auto same_batch, bench.measure(settings, batch));
  const int page = bench.setting().page_tokens;
  const int pool = batch * ((arguments.context_tokens + arguments.answer_tokens + page - 1) / page * page);
  KV_ASSIGN(const auto same_pool, bench.measure(settings, many, pool, same_batch));
  result.tables = {throughput_table("The same number side by side: what the kernels gain", same_batch),
                   throughput_table("The same pool, " + std::to_string(pool) +
                                        " tokens of it: larger batches as well, as many requests as it has room for",
                                    same_pool),
                   {"Paper: LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024",
                    {"method", "tokens/s", "x full cache"},
                    {{"full cache", 2200, 1},
                     {"paged_eviction", 3020, 3020.0 / 2200},
                     {"streaming_llm", 2920, 2920.0 / 2200},
                     {"inverse key L2, keydiff", 2170, 2170.0 / 2200}}}};
  for (FigureTable* table : {&result.tables[0], &result.tables[1]})
    table->plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                             .x = "budget tokens",
                             .y = {"x full cache"},
                             .y_title = "throughput, x full cache",
                             .by = {"method", "compaction"}};
  // The paper's budget is as long as its prompt; the largest one represents it.
  if (const auto budgets = budgets_of(same_batch); !budgets.empty())
    for (const auto& [label, speed] : {std::pair{"paper: PagedEviction", 3020},
                                       {"paper: StreamingLLM", 2920},
                                       {"paper: inverse key L2, KeyDiff", 2170}})
      result.tables.front().plot->published.push_back(
          {label, std::ranges::max(budgets), speed / 2200.0, speed / 2200.0});
  for (const auto& findings : {paged_findings("same batch", same_batch), paged_findings("same pool", same_pool)})
    result.time_findings.insert(result.time_findings.end(), findings.begin(), findings.end());
  add_throughput_claims(same_batch, result);
  return result;
}

}  // namespace

const Experiment& pagedeviction_throughput() {
  static const ThroughputExperiment experiment(
      PaperFigure{
          .name = "pagedeviction/throughput",
          .paper = "pagedeviction",
          .title = "throughput of many requests side by side",
          .does =
              "The paper's throughput setup scaled to this machine: prompts of random tokens and long outputs on a "
              "random-weight Llama of 4 layers. First the same number of requests side by side, which shows what the "
              "kernels gain; then the same pool, in which smaller caches leave room for larger batches. Eviction of "
              "single tokens runs without compaction, as in vLLM, where a block is freed when all of its tokens are "
              "evicted, and with it.",
          .expected =
              "PagedEviction is faster than the full cache and about as fast as StreamingLLM; eviction of single "
              "tokens gains little without compaction. In the same pool the gain is larger.",
          .published =
              "LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024: PagedEviction about "
              "3020 tokens/s, StreamingLLM 2920, inverse key L2 and KeyDiff 2170, full cache 2200; time per "
              "output token 10 to 12 % below the full cache's",
          .settings = with_blocks(with_batch(throughput_settings("256,1024", "16", "1024", "3072"), "8")),
          .more = {"--cadence"},
          .random_weights = true,
          .quick = {{"--width", "256"},
                    {"--context-tokens", "64"},
                    {"--answer-tokens", "32"},
                    {"--budgets", "32,64"},
                    {"--contexts", "3"},
                    {"--max-batch", "2"},
                    {"--blocks", "2"},
                    {"--eviction-methods", "paged_eviction,knorm"}}},
      throughput_figure);
  return experiment;
}

}  // namespace kvantage::inline pagedeviction_figures
