// The GPU model for sessions: from the module loaded at run time (gpu/model/module_loader.h).
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/model_device.h"
#include "core/ports/accelerator.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::inline wiring {

/// Prefill chunk size on a GPU in a session: fewer tokens leave it idle, more delay commands.
inline constexpr int gpu_chunk_tokens = 1024;

/// `model`'s weights on the first GPU, with this many bytes for the KV caches of requests there; the model itself no
/// longer computes. usage: no GPU, no module or no CUDA libraries, and how to fix it.
Expected<std::shared_ptr<ModelDevice>> open_gpu_passes(const Transformer& model, std::uint64_t cache_bytes);

/// Once the device that `runtime` names has opened the model, tiers in `accelerator`'s memory keep entries in the
/// blocks of its caches. Tiers are opened after the model. Either may be missing.
void share_blocks(ModelRuntimeOptions& runtime, const std::shared_ptr<Accelerator>& accelerator);

}  // namespace kvantage::inline wiring
