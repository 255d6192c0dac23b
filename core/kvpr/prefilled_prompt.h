// A prompt that is prefilled and written to a tier with its layer inputs, and the sizes of its rows as the scheduler of
// partial recomputation sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kvpr/offloaded_prompt.h"
#include "core/policy/partial_recompute.h"

namespace kvantage::inline kvpr {

/// The scheduler's view of a model's layer. `codec`, of chunks of so many tokens: determines the bytes of keys and
/// values on the tier.
RecomputeShape recompute_shape(const Transformer& model);
RecomputeShape recompute_shape(const Transformer& model, const RowCodec& codec, int chunk_tokens);

/// A prompt, prefilled in chunks and written with its layer inputs, and its logits [vocab_size].
struct PrefilledPrompt {
  std::unique_ptr<OffloadedPrompt> prompt;
  std::vector<float> logits;
};
Expected<PrefilledPrompt> prefill_offloaded(Transformer& model, StorageTier& tier,
                                            const std::vector<std::int32_t>& prompt, int chunk_tokens,
                                            const std::string& name, std::shared_ptr<const Codec> codec = nullptr);

}  // namespace kvantage::inline kvpr
