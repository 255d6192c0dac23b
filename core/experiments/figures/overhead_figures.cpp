
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/model/paging_overhead_study.h"
#include "core/experiments/paper_figures.h"
#include "core/policy/plan_text.h"
#include "core/workload/families/families.h"

namespace kvantage::inline figures {
namespace {

constexpr int rounds = 7;

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
          {"slow_down", overhead.slow_down()},
          {"score_buffer_bytes", overhead.score_buffer_bytes},
          {"observation_bytes", overhead.observation_bytes},
          {"provenance", "measured"}};
}

void print_blocks(FigureHost& host, const std::vector<BlockOverhead>& overheads) {
  host.print("A paged pool frees a block when its last row is evicted: one head, in the pool, measured\n");
  host.print("%-20s %-13s %5s %7s %8s %8s %8s %8s %8s %10s\n", "eviction", "compaction", "page", "blocks", "evicted",
             "freed", "holes", "by pass", "copies", "us/pass");
  for (const BlockOverhead& overhead : overheads)
    host.print("%-20s %-13s %5d %7zu %8zu %8zu %7.1f%% %8zu %8zu %10.1f\n", overhead.eviction.c_str(),
               overhead.compaction.c_str(), overhead.block_tokens, overhead.blocks, overhead.evicted_rows,
               overhead.freed_by_eviction, overhead.fragmentation * 100, overhead.freed_by_pass, overhead.slot_copies,
               overhead.pass_seconds * 1e6);
}

void print_scores(FigureHost& host, const std::vector<ScoreOverhead>& overheads, std::size_t tokens) {
  host.print(
      "\nA fused attention kernel keeps no weights: overhead of scoring a context of %zu tokens in its prefill, "
      "measured\n",
      tokens);
  host.print("%-20s %-9s %11s %11s %9s %11s %11s\n", "method", "weights", "prefill ms", "scored ms", "slowdown",
             "scores", "observed");
  for (const ScoreOverhead& overhead : overheads)
    host.print("%-20s %-9s %11.1f %11.1f %8.2fx %11s %11s\n", overhead.method.c_str(),
               overhead.attention_weights ? "needed" : "none", overhead.prefill_seconds * 1e3,
               overhead.scored_prefill_seconds * 1e3, overhead.slow_down(),
               format_bytes(overhead.score_buffer_bytes).c_str(), format_bytes(overhead.observation_bytes).c_str());
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
  FigureTable table{
      "Overhead of scoring in prefill",
      {"method", "attention weights", "prefill ms", "scored ms", "slowdown", "score buffer KiB", "observed KiB"},
      {}};
  for (const ScoreOverhead& overhead : overheads)
    table.rows.push_back({overhead.method, overhead.attention_weights ? "needed" : "none",
                          1e3 * overhead.prefill_seconds, 1e3 * overhead.scored_prefill_seconds, overhead.slow_down(),
                          static_cast<double>(overhead.score_buffer_bytes) / 1024,
                          static_cast<double>(overhead.observation_bytes) / 1024});
  return table;
}

std::vector<std::string> overhead_findings(const std::vector<ScoreOverhead>& overheads) {
  double needed = 0, none = 0;
  int n = 0, m = 0;
  for (const ScoreOverhead& overhead : overheads) {
    (overhead.attention_weights ? needed : none) += overhead.slow_down();
    ++(overhead.attention_weights ? n : m);
  }
  if (n == 0 || m == 0) return {};
  return {"prefill takes " + short_number(needed / n) +
          " times as long on average for methods that need attention weights, " + short_number(none / m) +
          " times for those that do not" + (needed / n > none / m ? ": as in the article" : ": unlike in the article")};
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
  arguments.lines->end_cell();
  arguments.lines->begin_cell("score buffers of " + std::to_string(methods.size()) + " methods");
  if (!arguments.json) print_blocks(*arguments.host, blocks);
  const auto tokens = ledger_tokens(runtime, arguments);
  KV_ASSIGN(const auto scores, measure_score_overheads(runtime, tokens, methods, rounds, clock,
                                                       [&arguments] { return arguments.host->interrupted(); }));
  if (!arguments.json) {
    print_scores(*arguments.host, scores, tokens.size());
    return {};
  }
  arguments.lines->end_cell();
  FigureResult result = begin_figure(arguments.figure);
  result.tables = {block_table(blocks), score_table(scores)};
  result.time_findings = overhead_findings(scores);
  result.settings = {{"model", runtime.model->digest().hex()},
                     {"tokens", tokens.size()},
                     {"seed", arguments.seed},
                     {"command", arguments.command}};
  OrderedJson json = to_json(arguments.host->noted(std::move(result)));
  for (const BlockOverhead& overhead : blocks) json["blocks"].push_back(block_json(overhead));
  for (const ScoreOverhead& overhead : scores) json["scores"].push_back(score_json(overhead));
  arguments.host->show_json(json);
  return {};
}

}  // namespace kvantage::inline figures
