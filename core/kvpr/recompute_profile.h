// KVPR's profiler: how fast a tier ships, how fast this model computes keys and values anew, and what a layer of a
// decode step takes besides. Measured on the model and the tier themselves in well under a second each, with the same
// code that a step runs.
#pragma once

#include "core/kvpr/offloaded_decode.h"

namespace kvantage {

/// Reads of three sizes up to `most_bytes`, three of each, through a line of Theil and Sen: latency and bandwidth. One
/// entry of `most_bytes` is written for it and erased. Errors: the tier's.
Expected<TierModel> profile_link(StorageTier& tier, BufferLender& lender, std::uint64_t most_bytes);

/// Keys and values of 1, 2, 4 and 8 chunks computed anew, the median of five each: seconds by tokens.
Expected<RecomputeRate> profile_recompute(Transformer& model, int chunk_tokens, const Clock& clock);

/// What a layer of a step over `tokens` tokens takes when nothing has to be waited for or computed anew: its rows taken
/// in, the layer computed, its rows dropped. The median of three steps.
Expected<double> profile_rest(Transformer& model, int tokens, int chunk_tokens, const Clock& clock);

/// Its first part alone, what a layer of a context that is loaded takes besides: its rows taken in. The median of
/// three.
Expected<double> profile_taking_in(const Transformer& model, int tokens, int chunk_tokens, const Clock& clock);

/// Link, recomputation and the rest of a step, for prompts of `tokens` tokens. Reads reach up to what a layer's keys
/// and values take.
Expected<RecomputeProfile> profile_recomputation(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                 int tokens, int chunk_tokens);

}  // namespace kvantage
