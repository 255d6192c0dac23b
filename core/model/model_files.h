// What is wrong with a path as a model before anything of it is parsed: files that are not what their names say, and
// forms of checkpoints that this runtime does not read. Whoever opens a model asks here first.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/model/config.h"

namespace kvantage::inline model {

/// rejected_input, in one line that names the file, the reason and the fix: pointers of Git LFS in place of files,
/// pickles in place of .safetensors, weights without their folder, a folder without a tokenizer.json, a quantization
/// that config.json names. Anything else, a path that is not there included, is for the readers to say.
Status check_model_files(const std::filesystem::path& model);

/// rejected_input where a tokenizer has ids that the model does not embed. tokens: one past the largest id.
Status check_vocabulary(const std::filesystem::path& model, std::int32_t tokens, const ModelConfig& config);

}  // namespace kvantage::inline model
