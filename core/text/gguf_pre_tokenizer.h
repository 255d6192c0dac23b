// Pre-tokenizers of byte-level tokenizers, by their names in GGUF files (tokenizer.ggml.pre).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::inline text {

struct GgufPreTokenizer {
  Json pre_tokenizer;           // as the field of tokenizer.json
  Json normalizer;              // the same, or null
  bool ignores_merges = false;  // a word that is in the vocabulary is not merged
  bool adds_bos = false;        // where the file does not specify it
};

/// Nothing for an unknown name: a different split would give different ids.
std::optional<GgufPreTokenizer> gguf_pre_tokenizer(std::string_view name);
/// "default, gpt-2, ...": for messages.
std::string gguf_pre_tokenizer_names();

}  // namespace kvantage::inline text
