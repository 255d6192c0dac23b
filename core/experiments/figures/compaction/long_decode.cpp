// A generation of 32K tokens at a budget of 3,072.
#include "core/base/statistics.h"
#include "core/experiments/figures/compaction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/decode_settings.h"
#include "core/experiments/studies/throughput_cells.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline compaction_figures {
namespace {

/// Over the methods whose blocks come back; compaction where there is some.
void add_long_decode_claims(const std::vector<ThroughputCell>& cells, FigureResult& result) {
  std::vector<MeasuredSpan> speeds, memory, shares;
  for (const ThroughputCell& cell : cells) {
    if (!cell.frees_blocks()) continue;
    speeds.push_back(measured_ratio(cell.tokens_per_second(), cells.front().tokens_per_second()));
    memory.push_back(exactly(cell.memory_ratio(cells.front())));
    if (cell.eviction->compaction != CompactionKind::none) shares.push_back(measured_mean(cell.compaction_share()));
  }
  add_claim(result, "compaction/long-decode-speed", speeds, true);
  add_claim(result, "compaction/long-decode-memory", memory);
  add_claim(result, "compaction/compaction-interval", shares, true);
}

Expected<FigureResult> long_decode_figure(const PaperFigure& figure, const FigureArguments& arguments) {
  KV_ASSIGN(const auto settings, throughput_evictions(arguments));
  ThroughputBench bench(arguments);
  KV_TRY(bench.open());
  FigureResult result = bench.begin(figure);
  arguments.lines->expect_cells((settings.size() + 1) * static_cast<std::size_t>(arguments.blocks));
  KV_ASSIGN(const auto cells, bench.measure(settings, arguments.contexts));
  result.tables = {throughput_table("A long generation", cells),
                   {"Article: TriAttention, decoding 32K tokens at a budget of 3,072",
                    {"method", "tokens/s", "x full cache", "KV of the full cache / its own"},
                    {{"full cache", 222.8, 1, 1}, {"triattention", 563.5, 563.5 / 222.8, 10.7}}}};
  result.tables.front().plot =
      FigurePlot{.kind = FigurePlot::Kind::bars,
                 .x = "method",
                 .y = {"x full cache"},
                 .by = {"compaction", "budget tokens"},
                 .published = {{"article: TriAttention", nullptr, 563.5 / 222.8, 563.5 / 222.8}}};
  for (const ThroughputCell& cell : cells) {
    if (!cell.frees_blocks()) continue;
    const double speed = measured_ratio(cell.tokens_per_second(), cells.front().tokens_per_second()).low;
    result.time_findings.push_back(cell.method() + " at " + std::to_string(cell.eviction->budget.of_prompt(1)) +
                                   " tokens is " + short_number(speed) + " times as fast as the full cache with 1/" +
                                   short_number(cell.memory_ratio(cells.front())) +
                                   " of its KV memory; compaction takes " +
                                   short_number(100 * mean_of(cell.compaction_share())) + " % of decoding");
  }
  add_long_decode_claims(cells, result);
  return result;
}

}  // namespace

const Experiment& compaction_long_decode() {
  static const ThroughputExperiment experiment(
      PaperFigure{
          .name = "compaction/long-decode",
          .paper = "compaction",
          .title = "a generation of 32K tokens at a budget of 3,072",
          .does =
              "One request decodes 32K tokens on a random-weight Llama of 4 layers, with the full cache and with each "
              "eviction method at the budget, without compaction and with repack: speed, KV memory, time of "
              "compaction.",
          .expected =
              "The full cache slows down as it grows; at a budget the speed stays the same. Without compaction, "
              "eviction of single tokens frees few blocks.",
          .published = "TriAttention, decoding 32K tokens at a budget of 3,072: 2.5 times as fast (563.5 against 222.8 "
                       "tokens/s) with 10.7 times less KV memory",
          .settings = with_blocks(throughput_settings("3072", "1", "256", "32512"), "2"),
          .more = {"--cadence"},
          .random_weights = true,
          .quick = {{"--width", "256"},
                    {"--context-tokens", "64"},
                    {"--answer-tokens", "64"},
                    {"--budgets", "32"},
                    {"--eviction-methods", "paged_eviction,knorm"},
                    {"--blocks", "1"}}},
      long_decode_figure);
  return experiment;
}

}  // namespace kvantage::inline compaction_figures
