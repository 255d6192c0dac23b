// An OPT checkpoint of a given shape with random weights: for experiments about time, whose answers mean nothing. OPT
// is what the paper on partial recomputation uses: every head has keys and values of its own, which is where layer
// inputs are shorter than those.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace kvantage {

struct RandomOptShape {
  int hidden = 1024, heads = 16, layers = 4, ffn = 4096, vocab = 256, positions = 4096;
};

/// Writes config.json and model.safetensors (bf16) into `folder`. Errors: those of writing.
Status write_random_opt(const std::filesystem::path& folder, const RandomOptShape& shape, std::uint64_t seed);

}  // namespace kvantage
