// The plain generation loop of core/model/generate.h over a model on a GPU.
#pragma once

#include "core/model/generate.h"
#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// What GpuModelOptions::cache_bytes must be for one sequence of so many tokens in every head.
std::uint64_t cache_bytes_for(const ModelConfig& config, int block_tokens, std::size_t tokens);

/// As generate(): prefills `prompt` into a new sequence and decodes. Greedy tokens are chosen on the device, others
/// drawn from its logits. Hooks of decode steps are refused (usage): they see rows of the host. on_token is called with
/// -1 once a step, so a cancel waits for one step.
Expected<Generation> gpu_generate(GpuModel& model, std::span<const std::int32_t> prompt, const GenerateOptions& options,
                                  const TokenCallback& on_token);

}  // namespace kvantage::gpu
