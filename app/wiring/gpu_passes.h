// The model on a GPU as sessions use it: out of the module that is loaded at run time (gpu/model/module_loader.h).
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/model_device.h"

namespace kvantage {

/// Tokens of a prefill that a GPU computes together in a session: fewer leave it idle, more keep commands waiting.
inline constexpr int gpu_chunk_tokens = 1024;

/// `model`'s weights on the first GPU, with so many bytes for the KV caches of requests there; the model computes
/// nothing itself any more. usage: no GPU, no module or no CUDA libraries, and how to mend it.
Expected<std::shared_ptr<ModelDevice>> open_gpu_passes(const Transformer& model, std::uint64_t cache_bytes);

}  // namespace kvantage
