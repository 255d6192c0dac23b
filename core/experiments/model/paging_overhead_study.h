// The two overheads of token eviction in paged serving, measured in our own pool and on our own model: the memory that
// a paged pool frees with and without compaction, and the cost of a method with attention weights compared to one
// without.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/compress/method.h"
#include "core/experiments/experiment_runner.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline model_experiments {

/// One combination of eviction and compaction, on one head of one layer.
struct BlockOverhead {
  std::string eviction, compaction;
  int block_tokens = 0;
  std::size_t blocks = 0, evicted_rows = 0;
  std::size_t freed_by_eviction = 0, freed_by_pass = 0, slot_copies = 0;
  double fragmentation = 0;  // after the eviction, before the pass
  double pass_seconds = 0;   // of the commit
};
/// The page's own cases: 1,000 blocks of 16 tokens, and its toy example of 6 blocks of 4.
Expected<std::vector<BlockOverhead>> measure_block_overheads(const Clock& clock);

/// The cost of scoring on top of a context's prefill.
struct ScoreOverhead {
  std::string method;
  bool attention_weights = false;      // whether it needs weights that a fused attention kernel does not keep
  double prefill_seconds = 0;          // without a method; mean over the blocks
  double scored_prefill_seconds = 0;   // with the method's observations and scoring
  std::vector<double> slow_downs{};    // the latter / the former, block by block
  std::size_t score_buffer_bytes = 0;  // peak attention weights in memory
  std::size_t observation_bytes = 0;   // queries and passes kept for the scorer
};
struct ScoreStudyOptions {
  int blocks = 1;
  std::uint64_t seed = 1;  // of the order of each block
  /// Called before each timed prefill, and when its time is kept; `method`: empty without one.
  std::function<void(const std::string& method, int block)> begin_cell = {};
  std::function<void()> end_cell = {};
  std::function<bool()> stop = {};  // polled once per layer; true aborts with `cancelled`
};
/// Each block runs the prefill without a method and once with each of them. Before the first one, each method runs once
/// untimed.
Expected<std::vector<ScoreOverhead>> measure_score_overheads(ModelRuntime& runtime,
                                                             std::span<const std::int32_t> tokens,
                                                             std::span<const std::shared_ptr<const Method>> methods,
                                                             const ScoreStudyOptions& options, ExperimentRunner runner,
                                                             const Clock& clock);

}  // namespace kvantage::inline model_experiments
