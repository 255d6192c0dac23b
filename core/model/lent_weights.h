// Externally stored matrices of a layer (KVPR, paper 004, section 3.3), which are lent to the model while the layer
// computes. Norms, biases, embeddings and the output head stay.
#pragma once

#include <memory>
#include <span>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

/// Parts of a layer: the matrices for keys and values, and all others.
enum class WeightPart { keys_values, others };

class LentWeights {
 public:
  /// removed: the model has no matrices but those that are lent, until this is destroyed. beside: while nothing is lent
  /// it has its own, so that others can compute with it between two layers.
  enum class Own { removed, beside };
  /// model must outlive this. usage: a model that multiplies with packed matrices.
  static Expected<std::unique_ptr<LentWeights>> take(Transformer& model, Own own = Own::removed);
  /// Restores the model's own matrices.
  ~LentWeights();
  LentWeights(const LentWeights&) = delete;
  LentWeights& operator=(const LentWeights&) = delete;

  /// Bytes of one layer's part, each matrix 64-byte aligned.
  std::size_t bytes(WeightPart part) const;
  /// Writes the model's own matrices in lending format. out: bytes(part) long.
  void copy(int layer, WeightPart part, std::span<std::byte> out) const;
  /// The layer computes with these bytes until they are released; 64-byte aligned.
  void lend(int layer, WeightPart part, std::span<const std::byte> bytes);
  void release(int layer);

 private:
  struct State;
  explicit LentWeights(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kvantage::inline model
