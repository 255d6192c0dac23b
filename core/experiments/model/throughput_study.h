// Requests of equal length decoded side by side in one pool of blocks under decode-time eviction: the setting of
// PagedEviction's throughput measurement, and of generations so long that the cache outgrows the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/compress/decode/eviction_loop.h"
#include "core/model/transformer.h"
#include "core/ports/decode_eviction.h"

namespace kvantage::inline model_experiments {

struct ThroughputSetting {
  std::optional<DecodeEvictionSetting> eviction = {};  // nothing: the full cache
  int page_tokens = 16;
  int chunk_tokens = 256;  // of a prefill
  int prompt_tokens = 1024, output_tokens = 1024;
  int requests = 8;
  int max_batch = 8;    // requests side by side at most
  int pool_tokens = 0;  // whole tokens (all layers and heads) that the pool holds; 0: all requests of a batch
  /// Blocks that a request holds at most while it decodes, as measured before; 0: by what the setting allows. Requests
  /// that find no block begin again.
  std::size_t held_blocks = 0;
  std::uint64_t seed = 1;
};

struct ThroughputRun {
  int batch = 0;  // requests side by side at most, as it happened
  int requests = 0, prompt_tokens = 0, output_tokens = 0;
  int preempted = 0;  // requests that the pool had no room for any more, and that began again
  double seconds = 0, prefill_seconds = 0, decode_seconds = 0;
  std::int64_t steps = 0;  // of the batch
  std::size_t peak_blocks = 0, block_bytes = 0;
  EvictionCounts counts = {};  // of all requests

  /// Input + output tokens per second, as the paper counts.
  double tokens_per_second() const;
  /// Mean time between two tokens of a request.
  double seconds_per_output_token() const { return steps > 0 ? decode_seconds / static_cast<double>(steps) : 0; }
  std::size_t peak_bytes() const { return peak_blocks * block_bytes; }
};

/// usage: a method that needs calibration, which random tokens do not give, or that selects pages and frees none.
Status check_throughput_method(const DecodeEvictionSetting& eviction);

/// Serves random tokens to their full length, whatever they say. A request is admitted when the blocks that it may hold
/// at most are free, its prompt is cut to the budget at once, and the model computes one token of all requests a step.
/// stop(): polled once per step; true aborts with `cancelled`. usage: as above, or more positions than the model has.
Expected<ThroughputRun> measure_throughput(Transformer& model, const ThroughputSetting& setting, const Clock& clock,
                                           const std::function<bool()>& stop = {});

}  // namespace kvantage::inline model_experiments
