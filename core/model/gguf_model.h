// A language model in a GGUF file, in the terms of a Hugging Face folder: its config, and its tensors under the names
// and in the order of rows that this runtime computes with. Architectures llama (Mistral's too), qwen2 and qwen3.
#pragma once

#include <map>
#include <string>

#include "core/base/gguf_file.h"
#include "core/model/config.h"
#include "core/model/safetensors.h"

namespace kvantage {

/// From the keys general.* and ARCHITECTURE.*, and from what tensors there are (biases, an output head of its own).
/// rejected_input names the file and the key.
Expected<ModelConfig> config_of_gguf(const GgufFile& file);

/// All tensors by their Hugging Face names, as stored. rejected_input for a tensor that this runtime has no use for:
/// the model is another than its keys say.
Expected<std::map<std::string, StoredTensor>> tensors_of_gguf(const GgufFile& file, const ModelConfig& config);

}  // namespace kvantage
