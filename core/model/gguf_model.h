// A language model in a GGUF file, in the terms of a Hugging Face folder: its config, and its tensors with the names
// and row order of this runtime. Architectures are in gguf/gguf_architectures.inl.
#pragma once

#include <map>
#include <string>

#include "core/base/gguf_file.h"
#include "core/model/config.h"
#include "core/model/safetensors.h"

namespace kvantage::inline model {

/// From the keys general.* and ARCHITECTURE.*, and from the tensors present (biases, a separate output head, divisors
/// of the rotation); serve_positions() is still to be called. rejected_input names the file and the key.
Expected<ModelConfig> config_of_gguf(const GgufFile& file);

/// All tensors by their Hugging Face names, as stored. rejected_input for a tensor that this runtime does not use: the
/// model then differs from what its keys say.
Expected<std::map<std::string, StoredTensor>> tensors_of_gguf(const GgufFile& file, const ModelConfig& config);

}  // namespace kvantage::inline model
