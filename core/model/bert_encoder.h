// A BERT encoder for sentence embeddings (all-MiniLM-L6-v2: 6 layers, 384 numbers): WordPiece ids -> embeddings ->
// layers of attention and feed-forward, each with residual and layer norm -> mean over the tokens -> length 1, as
// sentence-transformers computes it. fp32 throughout. It measures answers and takes no part in serving them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/text/embedder.h"

namespace kvantage {

/// The folder of all-MiniLM-L6-v2: $KVANTAGE_EMBEDDING_MODEL, else where set-up puts it in the cache folder.
std::filesystem::path embedding_model_directory();
/// rejected_input that says how to get it when it is not there.
Status embedding_model_is_there();

class BertEncoder final : public Embedder {
 public:
  /// Maps a Hugging Face folder of a BERT model: config.json, vocab.txt, model.safetensors. rejected_input names what
  /// is missing or has another shape than config.json says.
  static Expected<std::unique_ptr<BertEncoder>> load(const std::filesystem::path& folder);
  ~BertEncoder() override;

  int width() const override;
  Digest128 digest() const override;
  /// Texts are cut at 256 tokens, as all-MiniLM-L6-v2 was published; batches of up to 16 texts of like length. A text
  /// that was seen before is not computed again.
  Expected<std::vector<std::vector<float>>> embed(std::span<const std::string> texts) override;
  /// Texts computed so far: the others were known.
  std::uint64_t computed() const { return computed_; }

 private:
  struct Impl;
  explicit BertEncoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::uint64_t computed_ = 0;
};

}  // namespace kvantage
