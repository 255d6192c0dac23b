#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/reproduce.h"
#include "app/cli/session_options.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/engine/wall_study.h"
#include "core/workload/families/families.h"

namespace kvantage::cli {
namespace {

constexpr int rounds = 7;

Expected<std::vector<std::shared_ptr<const Method>>> methods_of(const ReproduceArguments& arguments) {
  std::vector<std::string> texts = split_list(arguments.evictors);
  if (texts.empty())
    for (const MethodInfo& info : known_methods())
      if (info.removes_tokens) texts.push_back(info.name);
  std::vector<std::shared_ptr<const Method>> methods;
  for (const std::string& text : texts) {
    auto method = parse_method(text);
    if (!method) return tl::unexpected(std::move(method).error());
    methods.push_back(std::move(*method));
  }
  return methods;
}

std::vector<std::int32_t> ledger_tokens(const ModelRuntime& runtime, const ReproduceArguments& arguments) {
  Random random(arguments.seed);
  FamilyParams params;
  params.target_tokens = static_cast<std::size_t>(arguments.context_tokens);
  params.answer_tokens = static_cast<std::size_t>(arguments.answer_tokens);
  params.split = KeySplit::held_out;
  return runtime.prompt->encode_context((*find_family("ledger"))->generate(params, random).text);
}

OrderedJson block_json(const BlockWall& wall) {
  return {{"eviction", wall.eviction},
          {"compaction", wall.compaction},
          {"block_tokens", wall.block_tokens},
          {"blocks", wall.blocks},
          {"evicted_rows", wall.evicted_rows},
          {"blocks_freed_by_eviction", wall.freed_by_eviction},
          {"fragmentation", wall.fragmentation},
          {"blocks_freed_by_pass", wall.freed_by_pass},
          {"slot_copies", wall.slot_copies},
          {"pass_seconds", wall.pass_seconds},
          {"provenance", "measured"}};
}

OrderedJson score_json(const ScoreWall& wall) {
  return {{"method", wall.method},
          {"attention_weights", wall.attention_weights},
          {"prefill_seconds", wall.prefill_seconds},
          {"scored_prefill_seconds", wall.scored_prefill_seconds},
          {"slow_down", wall.slow_down()},
          {"score_buffer_bytes", wall.score_buffer_bytes},
          {"observation_bytes", wall.observation_bytes},
          {"provenance", "measured"}};
}

void print_blocks(const std::vector<BlockWall>& walls) {
  std::printf("A paged pool frees a block when its last row is dead: one head, in the pool, measured\n");
  std::printf("%-20s %-13s %5s %7s %8s %8s %8s %8s %8s %10s\n", "eviction", "compaction", "page", "blocks", "evicted", "freed",
              "holes", "by pass", "copies", "us a pass");
  for (const BlockWall& wall : walls)
    std::printf("%-20s %-13s %5d %7zu %8zu %8zu %7.1f%% %8zu %8zu %10.1f\n", wall.eviction.c_str(), wall.compaction.c_str(),
                wall.block_tokens, wall.blocks, wall.evicted_rows, wall.freed_by_eviction, wall.fragmentation * 100,
                wall.freed_by_pass, wall.slot_copies, wall.pass_seconds * 1e6);
}

void print_scores(const std::vector<ScoreWall>& walls, std::size_t tokens) {
  std::printf("\nA fused attention kernel keeps no weights: what scoring a context of %zu tokens adds to its prefill, measured\n", tokens);
  std::printf("%-20s %-9s %11s %11s %9s %11s %11s\n", "method", "weights", "prefill ms", "scored ms", "slow-down",
              "scores", "observed");
  for (const ScoreWall& wall : walls)
    std::printf("%-20s %-9s %11.1f %11.1f %8.2fx %11s %11s\n", wall.method.c_str(), wall.attention_weights ? "needed" : "none",
                wall.prefill_seconds * 1e3, wall.scored_prefill_seconds * 1e3, wall.slow_down(),
                format_bytes(wall.score_buffer_bytes).c_str(), format_bytes(wall.observation_bytes).c_str());
}

}  // namespace

Status reproduce_walls(ModelRuntime& runtime, const ReproduceArguments& arguments) {
  const auto methods = methods_of(arguments);
  if (!methods) return tl::unexpected(methods.error());
  const SystemClock clock;
  const auto blocks = measure_block_walls(clock);
  if (!blocks) return tl::unexpected(blocks.error());
  if (!arguments.json) print_blocks(*blocks);
  std::fflush(stdout);
  const auto tokens = ledger_tokens(runtime, arguments);
  const auto scores = measure_score_walls(runtime, tokens, *methods, rounds, clock, interrupted);
  if (!scores) return tl::unexpected(scores.error());
  if (!arguments.json) {
    print_scores(*scores, tokens.size());
    return {};
  }
  OrderedJson json{{"figure", arguments.figure}, {"shows", "blocks freed with and without compaction, score buffers"}};
  json["model"] = runtime.model->digest().hex();
  json["tokens"] = tokens.size();
  json["seed"] = arguments.seed;
  for (const BlockWall& wall : *blocks) json["blocks"].push_back(block_json(wall));
  for (const ScoreWall& wall : *scores) json["scores"].push_back(score_json(wall));
  std::printf("%s\n", json.dump().c_str());
  return {};
}

}  // namespace kvantage::cli
