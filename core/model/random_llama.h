// A Llama 2 checkpoint of a given shape with random weights (RMSNorm, RoPE, gated MLP, every head with keys and values
// of its own): for experiments about time, whose answers mean nothing.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace kvantage {

struct RandomLlamaShape {
  int hidden = 1024, heads = 16, layers = 4, ffn = 2752, vocab = 256, positions = 4096;
};

/// Writes config.json and model.safetensors (bf16) into `folder`. Errors: those of writing.
Status write_random_llama(const std::filesystem::path& folder, const RandomLlamaShape& shape, std::uint64_t seed);

}  // namespace kvantage
