// A prompt that is loaded whole in several ways, in one run on one machine: loading its cache, computing it anew from
// its layer inputs, and the solved split (context_load.h), each held against the cache that a prefill makes.
#pragma once

#include <functional>
#include <vector>

#include "core/kvpr/context_load.h"

namespace kvantage {

struct ContextLoadStudyOptions {
  RecomputeProfile profile;  // rest_seconds: profile_taking_in()
  std::vector<SplitMode> modes{SplitMode::load_only, SplitMode::recompute_only, SplitMode::solved};
  int chunk_tokens = 64;
  int rounds = 3;                   // modes take turns; one round before them does not count
  std::function<bool()> stop = {};  // asked before each load; true gives up
};

struct ContextLoadRun {
  SplitMode mode = SplitMode::load_only;
  ContextLoad load;  // of its rounds the one whose time is the median
};

/// A run for each mode. Errors: those of load_offloaded(); usage: no rounds, or an even number; `cancelled`; internal
/// where a cache is not, bit for bit, the one of a prefill.
Expected<std::vector<ContextLoadRun>> compare_context_loads(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                            const std::vector<std::int32_t>& prompt,
                                                            const ContextLoadStudyOptions& options);

}  // namespace kvantage
