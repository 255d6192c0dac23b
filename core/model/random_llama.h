// A Llama checkpoint of a given shape with random weights (RMSNorm, RoPE, gated MLP; multi-head attention as Llama 2,
// or GQA): for timing experiments, whose answers are meaningless.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace kvantage::inline model {

struct RandomLlamaShape {
  int hidden = 1024, heads = 16, layers = 4, ffn = 2752, vocab = 256, positions = 4096;
  int kv_heads = 0;  // 0: as many as heads
};

/// Writes config.json and model.safetensors (bf16) into `folder`. Errors: write errors.
Status write_random_llama(const std::filesystem::path& folder, const RandomLlamaShape& shape, std::uint64_t seed);

}  // namespace kvantage::inline model
