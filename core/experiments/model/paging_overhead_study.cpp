#include "core/experiments/model/paging_overhead_study.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/statistics.h"
#include "core/kv/compaction.h"
#include "core/kv/pool_gauges.h"
#include "core/runtime/observing.h"

namespace kvantage::inline model_experiments {
namespace {

constexpr KvShape one_studied_head{1, 1, 32, KvType::bf16};

struct BlockCase {
  const char* eviction;
  int block_tokens, tokens;
  bool (*goes)(int token);
  std::int32_t round_start;  // first token of the newest round
};

constexpr BlockCase block_cases[] = {
    {"scattered, 9 of 10", 16, 16000, [](int i) { return i % 10 != 0; }, 16000 - 128},
    {"one aligned block", 16, 16000, [](int i) { return i >= 32 && i < 48; }, 16000 - 128},
    {"all but one per block", 16, 16000, [](int i) { return i % 16 != 0; }, 16000 - 128},
    {"toy: 4 of 24", 4, 24, [](int i) { return i == 2 || i == 9 || i == 13 || i == 21; }, 20},
};

Expected<BlockOverhead> measure(const BlockCase& one, const char* compaction, const Clock& clock) {
  const auto tokens = static_cast<std::size_t>(one.tokens);
  const std::size_t blocks = tokens / static_cast<std::size_t>(one.block_tokens);
  BlockPool pool(one_studied_head, one.block_tokens,
                 blocks * BlockPool(one_studied_head, one.block_tokens, 0).block_bytes());
  KvCache cache(pool);
  const std::vector<std::byte> rows(tokens * one_studied_head.bytes_per_head_token() / 2, std::byte{0x3c});
  std::vector<std::int32_t> positions(tokens);
  std::iota(positions.begin(), positions.end(), 0);
  KV_TRY(cache.append(0, rows, rows, positions));

  BlockOverhead overhead{one.eviction, compaction, one.block_tokens, pool.live_blocks(), 0, 0, 0, 0, 0, 0};
  KeptIndices dropped(1);
  for (int i = 0; i < one.tokens; ++i)
    if (one.goes(i)) dropped[0].push_back(i);
  overhead.evicted_rows = dropped[0].size();
  KV_TRY(cache.evict(0, dropped));
  overhead.freed_by_eviction = overhead.blocks - pool.live_blocks();
  overhead.fragmentation = pool_gauges(pool, std::array<const KvCache*, 1>{&cache}).fragmentation;
  if (overhead.compaction == "none") return overhead;
  const auto plan = overhead.compaction == "repack" ? plan_repack(cache) : plan_hole_fill(cache, {}, one.round_start);
  KV_ASSIGN(const auto report, commit(cache, plan, clock));
  overhead.freed_by_pass = report.blocks_freed;
  overhead.slot_copies = report.slot_copies;
  overhead.pass_seconds = report.seconds;
  return overhead;
}

double seconds_since(const Clock& clock, std::int64_t start) {
  return static_cast<double>(clock.monotonic_ns() - start) * 1e-9;
}

/// One prefill, scored by `method` unless that is null; seconds.
Expected<double> prefill_once(ModelRuntime& runtime, std::span<const std::int32_t> tokens, const Method* method,
                              const Clock& clock, const std::function<bool()>& stop, ScoreOverhead& overhead) {
  KvCache cache(*runtime.pool);
  const ObservationNeeds needs = method != nullptr ? method->info().needs : ObservationNeeds{};
  const std::int64_t start = clock.monotonic_ns();
  PrefillTask prefill(*runtime.model, cache, {tokens.begin(), tokens.end()}, 0,
                      {.chunk_tokens = runtime.chunk_tokens(),
                       .window_queries = std::min(needs.window_queries, static_cast<int>(tokens.size())),
                       .logits = PrefillLogits::last});
  while (!prefill.done()) {
    if (stop && stop()) return fail(ErrorCode::cancelled, "measuring was stopped");
    KV_TRY(prefill.step());
  }
  if (method != nullptr) {
    Observation observed = observation_of(runtime, prefill.take_window_queries());
    KV_TRY(complete_observation(runtime, cache, tokens, needs, observed, stop));
    KV_ASSIGN(const auto scores, method->scores(cache, observed));
    overhead.score_buffer_bytes = scores.buffer_bytes;
    overhead.observation_bytes = observed.bytes();
  }
  return seconds_since(clock, start);
}

}  // namespace

Expected<std::vector<BlockOverhead>> measure_block_overheads(const Clock& clock) {
  std::vector<BlockOverhead> overheads;
  for (const BlockCase& one : block_cases)
    for (const char* compaction : {"none", "repack", "hole filling"}) {
      KV_ASSIGN(auto overhead, measure(one, compaction, clock));
      overheads.push_back(std::move(overhead));
    }
  return overheads;
}

Expected<std::vector<ScoreOverhead>> measure_score_overheads(ModelRuntime& runtime,
                                                             std::span<const std::int32_t> tokens,
                                                             std::span<const std::shared_ptr<const Method>> methods,
                                                             const ScoreStudyOptions& options, ExperimentRunner runner,
                                                             const Clock& clock) {
  std::vector<ScoreOverhead> overheads;
  overheads.reserve(methods.size());
  std::vector<std::vector<double>> seconds(methods.size());
  std::vector<double> bare;
  ScoreOverhead without;
  for (const auto& method : methods) {
    overheads.push_back({.method = method->text()});
    // A warm-up outside the measurement: calibration belongs to the model, not to the context, and first calls
    // allocate.
    KV_TRY(prefill_once(runtime, tokens, method.get(), clock, options.stop, overheads.back()));
  }
  // The last cell is the prefill without a method.
  const auto measure = [&](std::size_t m, int block) -> Expected<ExperimentRunner::Keep> {
    const bool scores = m < methods.size();
    if (options.begin_cell) options.begin_cell(scores ? overheads[m].method : std::string(), block);
    KV_ASSIGN(const auto measured, prefill_once(runtime, tokens, scores ? methods[m].get() : nullptr, clock,
                                                options.stop, scores ? overheads[m] : without));
    return [&, m, spent = measured]() -> Status {
      (m < methods.size() ? seconds[m] : bare).push_back(spent);
      if (options.end_cell) options.end_cell();
      return {};
    };
  };
  KV_TRY(runner.run_blocks(options.blocks, methods.size() + 1, options.seed, measure));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    overheads[m].attention_weights = overheads[m].score_buffer_bytes > 0;
    overheads[m].prefill_seconds = mean_of(bare);
    overheads[m].scored_prefill_seconds = mean_of(seconds[m]);
    for (std::size_t block = 0; block < bare.size(); ++block)
      overheads[m].slow_downs.push_back(seconds[m][block] / bare[block]);
  }
  return overheads;
}

}  // namespace kvantage::inline model_experiments
