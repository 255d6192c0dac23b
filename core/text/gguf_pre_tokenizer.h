// How byte-level tokenizers cut texts into words, by the names that GGUF files give (tokenizer.ggml.pre).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::text {

struct GgufPreTokenizer {
  Json pre_tokenizer;           // as the field of tokenizer.json
  Json normalizer;              // the same, or null
  bool ignores_merges = false;  // a word that is a token is that token
  bool adds_bos = false;        // where the file does not say
};

/// Nothing for a name that is not known: other cuts would give other ids.
std::optional<GgufPreTokenizer> gguf_pre_tokenizer(std::string_view name);
/// "default, gpt-2, ...": for messages.
std::string gguf_pre_tokenizer_names();

}  // namespace kvantage::text
