// The size of a model's KV caches, of --for-model: by name, or from what a model's files say about it.
#pragma once

#include <string>

#include "core/report/serving/serving_settings.h"

namespace kvantage::cli {

/// `word`: a preset of the simulator, an included model, a Hugging Face folder or its config.json, a GGUF file, or JSON
/// with a number kv_bytes_per_token (what `model info --json` prints). Bytes are those of the type that the file names:
/// 2 for float16 and bfloat16. usage: an unknown name. rejected_input in one line: a file without these facts, or a
/// model whose caches do not grow by the same bytes with every token.
Expected<ServedModel> served_model(const std::string& word);

}  // namespace kvantage::cli
