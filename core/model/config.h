// A Hugging Face model folder's config.json, in this runtime's terms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/kv/codecs/shape.h"
#include "core/model/architectures/model_config.h"

namespace kvantage::inline model {

/// Reads folder/config.json (older rope_theta/rope_scaling/torch_dtype and newer rope_parameters/dtype keys) and
/// generation_config.json where there is one. rejected_input names the field and what is supported.
/// max_model_len: LoadOptions.
Expected<ModelConfig> read_model_config(const std::filesystem::path& folder, int max_model_len = 0);

/// Radians per position of each channel pair (i, i + head_dim/2): [head_dim / 2]. Scaling as in transformers'
/// modeling_rope_utils; zeros where nothing is rotated: of partly rotated heads the last pairs (weights are loaded so
/// that the rotated channels are the first pairs).
std::vector<float> rope_frequencies(const ModelConfig& config);

}  // namespace kvantage::inline model
