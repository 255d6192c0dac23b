// The tokenizer in a GGUF file (keys tokenizer.ggml.*), converted to the stages of tokenizer.json. Three kinds are
// supported: "llama" (SentencePiece BPE by scores), "gpt2" (byte-level BPE by merges) and "bert" (WordPiece).
#pragma once

#include <memory>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/gguf_file.h"
#include "core/base/json.h"
#include "core/text/token_model.h"

namespace kvantage::inline text {

struct GgufTokenizer {
  std::unique_ptr<TokenModel> model;
  Json stages = Json::object();  // the other fields of tokenizer.json
  Json config = Json::object();  // fields of tokenizer_config.json
  Digest128 digest;              // of all keys tokenizer.*
};

/// rejected_input names the file, the key and what is supported.
Expected<GgufTokenizer> read_gguf_tokenizer(const GgufFile& file);

}  // namespace kvantage::inline text
