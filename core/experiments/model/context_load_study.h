// A prompt loaded in several ways, in one run on one machine: loading its cache, recomputing it from its layer inputs,
// and the solved split (context_load.h), each compared with the cache from a prefill.
#pragma once

#include <functional>
#include <vector>

#include "core/kvpr/context_load.h"

namespace kvantage::inline model_experiments {

struct ContextLoadStudyOptions {
  RecomputeProfile profile;  // rest_seconds: profile_taking_in()
  std::vector<SplitMode> modes{SplitMode::load_only, SplitMode::recompute_only, SplitMode::solved};
  int chunk_tokens = 64;
  int rounds = 3;                   // modes alternate; one earlier warm-up round does not count
  std::function<bool()> stop = {};  // polled before each load; true aborts
};

struct ContextLoadRun {
  SplitMode mode = SplitMode::load_only;
  ContextLoad load;  // the round with the median time
};

/// One run per mode. Errors: those of load_offloaded(); usage: no rounds, or an even number; `cancelled`; internal
/// where a cache differs from the prefill's in any bit.
Expected<std::vector<ContextLoadRun>> compare_context_loads(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                            const std::vector<std::int32_t>& prompt,
                                                            const ContextLoadStudyOptions& options);

}  // namespace kvantage::inline model_experiments
