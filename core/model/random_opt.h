// An OPT checkpoint of a given shape with random weights: for timing experiments, whose answers are meaningless. The
// paper on partial recomputation uses OPT: without GQA, layer inputs are smaller than keys and values.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace kvantage::inline model {

struct RandomOptShape {
  int hidden = 1024, heads = 16, layers = 4, ffn = 4096, vocab = 256, positions = 4096;
};

/// Writes config.json and model.safetensors (bf16) into `folder`. Errors: write errors.
Status write_random_opt(const std::filesystem::path& folder, const RandomOptShape& shape, std::uint64_t seed);

}  // namespace kvantage::inline model
