// Paging overheads: blocks that a paged pool frees, and scores that fused attention does not hold.
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/compress/method.h"
#include "core/experiments/figures/compaction/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/model/online_softmax.h"
#include "core/experiments/model/paging_overhead_study.h"
#include "core/experiments/studies/decode_settings.h"
#include "core/policy/plan_text.h"
#include "core/runtime/model_runtime.h"
#include "core/workload/families/families.h"

namespace kvantage::inline compaction_figures {
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
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars,
                          .x = "eviction",
                          .y = {"freed", "freed by compaction"},
                          .y_title = "blocks",
                          .by = {"compaction"}};
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
  table.plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "method", .y = {"slowdown"}};
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
              " in the attention that one token collects",
          "with " + short_number(hot_offset) + " added to the queries, a softmax without a maximum overflows for " +
              std::to_string(softmax.hot.overflows) + " of " + std::to_string(softmax.queries) +
              " queries; attention in tiles stays finite for " + std::to_string(softmax.hot.finite) +
              " of them and differs from the full matrix by at most " + short_number(softmax.hot.output_difference)};
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
  if (softmax.hot.overflows > 0)
    add_claim(result, "compaction/online-softmax-finite",
              exactly(static_cast<double>(softmax.hot.finite) / static_cast<double>(softmax.hot.overflows)));
}

class Overheads final : public Experiment {
 public:
  Overheads()
      : Experiment(PaperFigure{
            .name = "compaction/overheads",
            .paper = "compaction",
            .title = "paging overheads: blocks that a paged pool frees, score buffers that fused kernels do not have",
            .does =
                "The article's own cases in the real pool, with and without compaction; scores that attention holds at "
                "once, as a full matrix and in tiles; and the overhead of scoring one context during prefill, by "
                "method, in blocks.",
            .expected = "Scattered eviction frees nothing until compaction fills the free slots; methods that need "
                        "attention weights slow prefill down and need buffers.",
            .published =
                "scattered eviction of 90 % frees 0 of 1000 blocks, repack 900, an aligned block 1, one survivor "
                "per block 0; one decode round: repack 18 copies, hole filling 3 for the same block; peak score "
                "buffer 16 times smaller when fused",
            .settings =
                {{"--eviction-methods",
                  "Methods",
                  {},
                  "every method that removes tokens",
                  "Scorers whose cost is measured, comma-separated"},
                 {"--context-tokens", "Context (tokens)", "1024", {}, "Length of the ledger that is scored"},
                 {"--answer-tokens", "Answer (tokens)", "256", {}, "Minimum length of the ledger's reference answer"},
                 {"--seed", "Seed", "1", {}, "Seed of the ledger"},
                 blocks_setting("7")},
            .quick = {{"--context-tokens", "200"}, {"--eviction-methods", "knorm,snapkv"}, {"--blocks", "2"}}}) {}

  Status check(const FigureArguments& arguments) const override {
    KV_TRY(methods_of(arguments));
    return {};
  }
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override;
};

/// Each prefill is a cell of the progress.
ScoreStudyOptions score_study(const FigureArguments& arguments) {
  return {.blocks = arguments.blocks,
          .seed = arguments.seed,
          .begin_cell =
              [&arguments](const std::string& method, int block) {
                arguments.lines->begin_cell((method.empty() ? std::string("prefill alone") : method) + ", block " +
                                            std::to_string(block + 1));
              },
          .end_cell = [&arguments] { arguments.lines->end_cell(); },
          .stop = [&arguments] { return arguments.host->interrupted(); }};
}

Expected<std::vector<FigureResult>> Overheads::run(const FigureArguments& arguments) const {
  KV_ASSIGN(const auto methods, methods_of(arguments));
  KV_ASSIGN(const auto runtime, load_asked_model(arguments));
  const Clock& clock = arguments.host->clock();
  arguments.lines->expect_cells(1 + static_cast<std::size_t>(arguments.blocks) * (methods.size() + 1));
  ExperimentRunner runner = arguments.host->runner();
  std::vector<BlockOverhead> blocks;
  KV_TRY(runner.run_cell([&]() -> Expected<ExperimentRunner::Keep> {
    arguments.lines->begin_cell("blocks of the pool");
    KV_ASSIGN(blocks, measure_block_overheads(clock));
    return [&arguments]() -> Status {
      arguments.lines->end_cell();
      return {};
    };
  }));
  const SoftmaxComparison softmax = compare_softmax();
  const auto tokens = ledger_tokens(*runtime, arguments);
  KV_ASSIGN(const auto scores,
            measure_score_overheads(*runtime, tokens, methods, score_study(arguments), runner, clock));
  FigureResult result = begin_figure(figure());
  result.tables = {block_table(blocks), softmax_table(softmax), score_table(scores)};
  result.findings = softmax_findings(softmax);
  result.time_findings = overhead_findings(scores);
  add_block_claims(blocks, result);
  add_score_claims(scores, softmax, result);
  result.settings = {{"model", runtime->model->digest().hex()},
                     {"tokens", tokens.size()},
                     {"blocks", arguments.blocks},
                     {"seed", arguments.seed},
                     {"command", arguments.command}};
  if (arguments.json) {
    for (const BlockOverhead& overhead : blocks) result.more["blocks"].push_back(block_json(overhead));
    for (const ScoreOverhead& overhead : scores) result.more["scores"].push_back(score_json(overhead));
  }
  return std::vector<FigureResult>{std::move(result)};
}

}  // namespace

const Experiment& compaction_overheads() {
  static const Overheads experiment;
  return experiment;
}

}  // namespace kvantage::inline compaction_figures
