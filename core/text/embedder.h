// Port for sentence embeddings: texts in, one vector each out. Implemented in core/model/bert_encoder.h; semantic text
// comparison uses only this.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage::inline text {

class Embedder {
 public:
  virtual ~Embedder() = default;
  /// Dimension of a vector.
  virtual int width() const = 0;
  /// One normalized vector per text, in order. Longer texts are truncated at the embedder's limit.
  virtual Expected<std::vector<std::vector<float>>> embed(std::span<const std::string> texts) = 0;
  /// Digest of weights and vocabulary: vectors of different embedders are not comparable.
  virtual Digest128 digest() const = 0;
};

}  // namespace kvantage::inline text
