// KVPR's profiler: transfer rate of a tier, recompute rate of keys and values on this model, and the other compute of a
// layer in a decode step. Each takes well under a second, on the actual model and tier, with the code that a step runs.
#pragma once

#include "core/kvpr/offloaded_decode.h"

namespace kvantage::inline kvpr {

/// Reads of three sizes up to `max_bytes`, three each, with a Theil-Sen line: latency and bandwidth. Writes one entry
/// of `max_bytes` for it and erases it. Errors: the tier's.
Expected<TierModel> profile_link(StorageTier& tier, BufferLender& lender, std::uint64_t max_bytes);

/// Recomputes keys and values of 1, 2, 4 and 8 chunks, the median of five each: seconds by tokens.
Expected<RecomputeRate> profile_recompute(Transformer& model, int chunk_tokens, const Clock& clock);

/// Compute of a layer in a step over `tokens` tokens without waiting or recomputation: row intake, the layer itself,
/// dropping its rows. The median of three steps.
Expected<double> profile_rest(Transformer& model, int tokens, int chunk_tokens, const Clock& clock);

/// Only its first part, the other compute per layer of a context load: row intake. The median of three.
Expected<double> profile_taking_in(const Transformer& model, int tokens, int chunk_tokens, const Clock& clock);

/// Link, recomputation and the rest of a step, for prompts of `tokens` tokens. Reads cover sizes up to a layer's keys
/// and values.
Expected<RecomputeProfile> profile_recomputation(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                 int tokens, int chunk_tokens);

}  // namespace kvantage::inline kvpr
