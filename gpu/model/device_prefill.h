// Prefill of tokens onto a sequence's cache on a device, in chunks.
#pragma once

#include <ATen/ATen.h>

#include <span>

#include "gpu/model/device_cache.h"
#include "gpu/model/device_weights.h"

namespace kvantage::gpu {

/// Computes `tokens` at the cache's next positions; each layer waits until its uploaded rows are there. fp32 logits of the device: [1, vocab_size],
/// [tokens, vocab_size], or undefined. After an error the cache is as before. rejected_input, no_space: as GpuModel::prefill().
Expected<at::Tensor> device_prefill(const DeviceWeights& weights, const DeviceStreams& streams, DeviceCache& cache, std::span<const std::int32_t> tokens, int chunk_tokens,
                                    PrefillLogits logits);

/// rejected_input: no tokens, one outside the vocabulary, `count` positions from `first` on that go beyond the model's.
Status check_tokens(const ModelConfig& config, std::span<const std::int32_t> tokens, std::int64_t first, std::int64_t count);

}  // namespace kvantage::gpu
