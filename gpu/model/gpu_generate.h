// The plain generation loop of core/model/generate.h over a model on a GPU.
#pragma once

#include "core/model/generate.h"
#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// The GpuModelOptions::cache_bytes for one sequence of this many tokens in every head.
std::uint64_t cache_bytes_for(const ModelConfig& config, int block_tokens, std::size_t tokens);

/// As generate(): prefills `prompt` into a new sequence and decodes. Greedy tokens are chosen on the device, others
/// sampled from its logits. Decode hooks are rejected (usage): they need host rows. on_token is called with -1 once per
/// step, so cancellation takes at most one step.
Expected<Generation> gpu_generate(GpuModel& model, std::span<const std::int32_t> prompt, const GenerateOptions& options,
                                  const TokenCallback& on_token);

}  // namespace kvantage::gpu
