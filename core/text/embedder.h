// Port to a sentence embedder: texts in, one vector each out. Implemented in core/model/bert_encoder.h; whoever
// compares texts by meaning knows only this.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage {

class Embedder {
 public:
  virtual ~Embedder() = default;
  /// Numbers of a vector.
  virtual int width() const = 0;
  /// One vector of length 1 for each text, in order. A text longer than the embedder's limit is cut there.
  virtual Expected<std::vector<std::vector<float>>> embed(std::span<const std::string> texts) = 0;
  /// Of weights and vocabulary: vectors of different embedders do not compare.
  virtual Digest128 digest() const = 0;
};

}  // namespace kvantage
