// A BERT encoder for sentence embeddings (all-MiniLM-L6-v2: 6 layers, 384 dimensions): WordPiece ids -> embeddings ->
// layers of attention and feed-forward, each with residual and layer norm -> mean over the tokens -> normalized, as in
// sentence-transformers. fp32 throughout. It scores answers and takes no part in serving.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/text/embedder.h"

namespace kvantage::inline model {

/// The folder of all-MiniLM-L6-v2: $KVANTAGE_EMBEDDING_MODEL, else its download location in the cache folder.
std::filesystem::path embedding_model_directory();
/// rejected_input with instructions when it is missing.
Status embedding_model_is_there();

class BertEncoder final : public Embedder {
 public:
  /// Maps a Hugging Face folder of a BERT model: config.json, vocab.txt, model.safetensors. rejected_input names what
  /// is missing or differs in shape from config.json.
  static Expected<std::unique_ptr<BertEncoder>> load(const std::filesystem::path& folder);
  ~BertEncoder() override;

  int width() const override;
  Digest128 digest() const override;
  /// Texts are truncated at 256 tokens, as published for all-MiniLM-L6-v2; batches of up to 16 texts of similar length.
  /// Earlier texts come from a cache.
  Expected<std::vector<std::vector<float>>> embed(std::span<const std::string> texts) override;
  /// Texts computed so far, without cache hits.
  std::uint64_t computed() const { return computed_; }

 private:
  struct Impl;
  explicit BertEncoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::uint64_t computed_ = 0;
};

}  // namespace kvantage::inline model
