// Loads an offloaded prompt as a whole into a cache (KVPR, paper 004, mode context-load). Layer inputs of the first l
// tokens are shipped instead of their keys and values, which are recomputed while the rest is loading. The cache equals
// the written one, bit for bit.
#pragma once

#include "core/kvpr/offloaded_decode.h"

namespace kvantage::inline kvpr {

struct ContextLoad {
  int recomputed_tokens = 0;                    // per layer
  std::uint64_t input_bytes = 0, kv_bytes = 0;  // shipped, padding included
  std::uint64_t predicted_bytes = 0;            // of both, without padding
  double seconds = 0;
  double predicted_seconds = 0;
  double waited_seconds = 0;  // for the tier
  double recompute_seconds = 0;
};

/// Fills the empty `cache` with the tokens of `prompt`. l by `mode` and `profile` (rest_seconds: profile_taking_in()).
/// Errors: the tier's and the lender's; no_space of the cache's pool; usage where `mode` is solved and shipping layer
/// inputs cannot pay off.
Expected<ContextLoad> load_offloaded(Transformer& model, const OffloadedPrompt& prompt, BufferLender& lender,
                                     KvCache& cache, SplitMode mode, const RecomputeProfile& profile);

}  // namespace kvantage::inline kvpr
