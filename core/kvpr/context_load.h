// Loading an offloaded prompt whole into a cache (KVPR, paper 004, mode context-load): layer inputs of the first l
// tokens are shipped in place of their keys and values, which are computed anew while the rest is on its way. The cache
// is the one that was written, bit for bit.
#pragma once

#include "core/kvpr/offloaded_decode.h"

namespace kvantage {

struct ContextLoad {
  int recomputed_tokens = 0;                    // of each layer
  std::uint64_t input_bytes = 0, kv_bytes = 0;  // shipped, padding included
  std::uint64_t predicted_bytes = 0;            // of both, without padding
  double seconds = 0;
  double predicted_seconds = 0;
  double waited_seconds = 0;  // for the tier
  double recompute_seconds = 0;
};

/// Fills `cache`, which holds nothing, with the tokens of `prompt`. l by `mode` and `profile` (rest_seconds:
/// profile_taking_in()). Errors: the tier's and the lender's; no_space of the cache's pool; usage where `mode` is
/// solved and shipping layer inputs cannot pay.
Expected<ContextLoad> load_offloaded(Transformer& model, const OffloadedPrompt& prompt, BufferLender& lender,
                                     KvCache& cache, SplitMode mode, const RecomputeProfile& profile);

}  // namespace kvantage
