// The two walls that keep token eviction out of paged serving, measured in our own pool and on our own model: what a
// paged pool gives back with and without compaction, and what a method that needs attention weights costs beside one
// that does not (the page on token eviction, "Wall 1" and "Wall 2").
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/compress/method.h"
#include "core/runtime/model_runtime.h"

namespace kvantage {

/// One way to evict and to close the holes, on one head of one layer.
struct BlockWall {
  std::string eviction, compaction;
  int block_tokens = 0;
  std::size_t blocks = 0, evicted_rows = 0;
  std::size_t freed_by_eviction = 0, freed_by_pass = 0, slot_copies = 0;
  double fragmentation = 0;  // after the eviction, before the pass
  double pass_seconds = 0;   // of the commit
};
/// The page's own cases: 1,000 blocks of 16 tokens, and its toy of 6 blocks of 4.
Expected<std::vector<BlockWall>> measure_block_walls(const Clock& clock);

/// What scoring a context adds to its prefill.
struct ScoreWall {
  std::string method;
  bool attention_weights = false;     // whether it needs what a fused attention kernel does not keep
  double prefill_seconds = 0;         // with no method; median over the rounds
  double scored_prefill_seconds = 0;  // with all that the method needs observed, and with its scores
  double slow_down() const { return prefill_seconds > 0 ? scored_prefill_seconds / prefill_seconds : 0; }
  std::size_t score_buffer_bytes = 0;  // attention weights that live at once
  std::size_t observation_bytes = 0;   // queries and passes kept for the scorer
};
/// Each round takes the prefill without a method and with each of them once. stop(): asked once a layer; true gives up
/// with `cancelled`.
Expected<std::vector<ScoreWall>> measure_score_walls(ModelRuntime& runtime, std::span<const std::int32_t> tokens,
                                                     std::span<const std::shared_ptr<const Method>> methods, int rounds,
                                                     const Clock& clock, const std::function<bool()>& stop = {});

}  // namespace kvantage
