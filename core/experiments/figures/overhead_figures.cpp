// The page on token eviction and compaction: blocks that a paged pool frees, and scores that fused attention does not
// hold.
#include <algorithm>
#include <string_view>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/model/online_softmax.h"
#include "core/experiments/model/paging_overhead_study.h"
#include "core/experiments/paper_figures.h"
#include "core/policy/plan_text.h"
#include "core/workload/families/families.h"

namespace kvantage::inline figures {
namespace {

Expected<std::vector<std::shared_ptr<const Method>>> methods_of(const FigureArguments& arguments) {
  std::vector<std::string> texts = split_list(arguments.eviction_methods);
  if (texts.empty())
    for (const MethodInfo& info : known_methods())
      if (info.removes_tokens) texts.push_back(info.name);
  std::vector<std::shared_ptr<const Method>> methods;
  for (const std::string& text : texts) {
    KV_ASSIGN(auto method, parse_method(text));
    methods.push_back(std::move(method));
  }
  return methods;
}

std::vector<std::int32_t> ledger_tokens(const ModelRuntime& runtime, const FigureArguments& arguments) {
  Random random(arguments.seed);
  FamilyParams params;
  params.target_tokens = static_cast<std::size_t>(arguments.context_tokens);
  params.answer_tokens = static_cast<std::size_t>(arguments.answer_tokens);
  params.split = KeySplit::held_out;
  return runtime.prompt->encode_context((*find_family("ledger"))->generate(params, random).text);
}

OrderedJson block_json(const BlockOverhead& overhead) {
  return {{"eviction", overhead.eviction},
          {"compaction", overhead.compaction},
          {"block_tokens", overhead.block_tokens},
          {"blocks", overhead.blocks},
          {"evicted_rows", overhead.evicted_rows},
          {"blocks_freed_by_eviction", overhead.freed_by_eviction},
          {"fragmentation", overhead.fragmentation},
          {"blocks_freed_by_pass", overhead.freed_by_pass},
          {"slot_copies", overhead.slot_copies},
          {"pass_seconds", overhead.pass_seconds},
          {"provenance", "measured"}};
}

OrderedJson score_json(const ScoreOverhead& overhead) {
  return {{"method", overhead.method},
          {"attention_weights", overhead.attention_weights},
          {"prefill_seconds", overhead.prefill_seconds},
          {"scored_prefill_seconds", overhead.scored_prefill_seconds},
          {"slow_down", mean_of(overhead.slow_downs)},
          {"score_buffer_bytes", overhead.score_buffer_bytes},
          {"observation_bytes", overhead.observation_bytes},
          {"provenance", "measured"}};
}

FigureTable block_table(const std::vector<BlockOverhead>& overheads) {
  FigureTable table{"Blocks of one head in the pool",
                    {"eviction", "compaction", "page tokens", "blocks", "evicted rows", "freed", "holes %",
                     "freed by compaction", "copies", "us/pass"},
                    {}};
  for (const BlockOverhead& overhead : overheads)
    table.rows.push_back({overhead.eviction, overhead.compaction, overhead.block_tokens, overhead.blocks,
                          overhead.evicted_rows, overhead.freed_by_eviction, 100 * overhead.fragmentation,
                          overhead.freed_by_pass, overhead.slot_copies, 1e6 * overhead.pass_seconds});
  return table;
}

FigureTable score_table(const std::vector<ScoreOverhead>& overheads) {
  FigureTable table{"Overhead of scoring in prefill",
                    {"method", "attention weights", "prefill ms", "scored ms", "slowdown", "low", "high",
                     "score buffer KiB", "observed KiB"},
                    {}};
  for (const ScoreOverhead& overhead : overheads) {
    std::vector<Json> row{overhead.method, overhead.attention_weights ? "needed" : "none",
                          1e3 * overhead.prefill_seconds, 1e3 * overhead.scored_prefill_seconds};
    add_interval_cells(row, measured_mean(overhead.slow_downs));
    row.emplace_back(static_cast<double>(overhead.score_buffer_bytes) / 1024);
    row.emplace_back(static_cast<double>(overhead.observation_bytes) / 1024);
    table.rows.push_back(std::move(row));
  }
  return table;
}

double score_ratio(const SoftmaxComparison& softmax) {
  return static_cast<double>(softmax.full_scores) / static_cast<double>(softmax.tiled_scores);
}

std::string sizes_text(std::size_t queries, std::size_t keys) {
  return std::to_string(queries) + " x " + std::to_string(keys);
}

FigureTable softmax_table(const SoftmaxComparison& softmax) {
  return {"Scores of one head in memory at once",
          {"attention", "queries x keys", "scores", "full matrix / its own"},
          {{"full matrix", sizes_text(softmax.queries, softmax.keys), softmax.full_scores, 1},
           {"fused, in tiles", sizes_text(softmax.queries, softmax.tile_keys), softmax.tiled_scores,
            score_ratio(softmax)}}};
}

std::vector<std::string> softmax_findings(const SoftmaxComparison& softmax) {
  return {"attention in tiles holds " + short_number(score_ratio(softmax)) +
              " times fewer scores; its outputs differ by at most " + short_number(softmax.output_difference),
          "two caches whose outputs differ by at most " + short_number(softmax.swapped_output_difference) +
              " differ by " + short_number(softmax.swapped_score_difference) +
              " in the attention that one token collects"};
}

std::vector<std::string> overhead_findings(const std::vector<ScoreOverhead>& overheads) {
  std::vector<double> needed, none;
  for (const ScoreOverhead& overhead : overheads)
    (overhead.attention_weights ? needed : none).push_back(mean_of(overhead.slow_downs));
  if (needed.empty() || none.empty()) return {};
  return {"prefill takes " + short_number(mean_of(needed)) +
          " times as long on average for methods that need attention weights, " + short_number(mean_of(none)) +
          " times for those that do not"};
}

/// Freed blocks and copies are the page's own cases; the toy example is one round of decoding.
void add_block_claims(const std::vector<BlockOverhead>& overheads, FigureResult& result) {
  const auto add = [&](const char* claim, std::string_view eviction, std::initializer_list<std::string_view> passes,
                       std::size_t BlockOverhead::*count) {
    std::vector<MeasuredSpan> all;
    for (const BlockOverhead& overhead : overheads)
      if (overhead.eviction == eviction && std::ranges::find(passes, overhead.compaction) != passes.end())
        all.push_back(exactly(static_cast<double>(overhead.*count)));
    add_claim(result, claim, all);
  };
  constexpr std::string_view scattered = "scattered, 9 of 10", toy = "toy: 4 of 24";
  for (const char* claim : {"compaction/scattered-survivors", "compaction/scattered-freed"})
    add(claim, scattered, {"none"}, &BlockOverhead::freed_by_eviction);
  add("compaction/repack-freed", scattered, {"repack"}, &BlockOverhead::freed_by_pass);
  add("compaction/aligned-freed", "one aligned block", {"none"}, &BlockOverhead::freed_by_eviction);
  add("compaction/worst-case-freed", "all but one per block", {"none"}, &BlockOverhead::freed_by_eviction);
  add("compaction/toy-freed", toy, {"repack", "hole filling"}, &BlockOverhead::freed_by_pass);
  add("compaction/toy-copies-repack", toy, {"repack"}, &BlockOverhead::slot_copies);
  add("compaction/toy-copies-hole-filling", toy, {"hole filling"}, &BlockOverhead::slot_copies);
}

void add_score_claims(const std::vector<ScoreOverhead>& overheads, const SoftmaxComparison& softmax,
                      FigureResult& result) {
  std::vector<MeasuredSpan> slow_downs;
  for (const ScoreOverhead& overhead : overheads)
    if (overhead.attention_weights) slow_downs.push_back(measured_mean(overhead.slow_downs));
  add_claim(result, "compaction/eager-fallback", slow_downs, true);
  add_claim(result, "compaction/score-buffer", exactly(score_ratio(softmax)));
  add_claim(result, "compaction/online-softmax-equal", exactly(softmax.output_difference));
  add_claim(result, "compaction/scores-not-recoverable", exactly(softmax.swapped_score_difference));
}

}  // namespace

Status check_overheads(const FigureArguments& arguments) {
  KV_TRY(methods_of(arguments));
  return {};
}

Status reproduce_overheads(ModelRuntime& runtime, const FigureArguments& arguments) {
  KV_ASSIGN(const auto methods, methods_of(arguments));
  const Clock& clock = arguments.host->clock();
  arguments.lines->expect_cells(2);
  arguments.lines->begin_cell("blocks of the pool");
  KV_ASSIGN(const auto blocks, measure_block_overheads(clock));
  const SoftmaxComparison softmax = compare_softmax();
  arguments.lines->end_cell();
  arguments.lines->begin_cell("score buffers of " + std::to_string(methods.size()) + " methods");
  const auto tokens = ledger_tokens(runtime, arguments);
  KV_ASSIGN(const auto scores, measure_score_overheads(runtime, tokens, methods, arguments.blocks, clock,
                                                       [&arguments] { return arguments.host->interrupted(); }));
  arguments.lines->end_cell();
  FigureResult result = begin_figure(arguments.figure);
  result.tables = {block_table(blocks), softmax_table(softmax), score_table(scores)};
  result.findings = softmax_findings(softmax);
  result.time_findings = overhead_findings(scores);
  add_block_claims(blocks, result);
  add_score_claims(scores, softmax, result);
  result.settings = {{"model", runtime.model->digest().hex()},
                     {"tokens", tokens.size()},
                     {"blocks", arguments.blocks},
                     {"seed", arguments.seed},
                     {"command", arguments.command}};
  if (!arguments.json) {
    arguments.host->show(result, false);
    return {};
  }
  OrderedJson json = to_json(arguments.host->noted(std::move(result)));
  for (const BlockOverhead& overhead : blocks) json["blocks"].push_back(block_json(overhead));
  for (const ScoreOverhead& overhead : scores) json["scores"].push_back(score_json(overhead));
  arguments.host->show_json(json);
  return {};
}

}  // namespace kvantage::inline figures
