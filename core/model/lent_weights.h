// A layer's matrices in memory of somebody else (KVPR, paper 004, section 3.3): the model's own are taken away, and a
// layer computes again while its matrices are lent to it. Norms, biases, embeddings and the output head stay.
#pragma once

#include <memory>
#include <span>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage {

/// Of a layer: what keys and values are computed with, and all else.
enum class WeightPart { keys_values, others };

class LentWeights {
 public:
  /// Takes the matrices of all layers away from `model`, which outlives this. usage: a model whose matrices are
  /// multiplied as they are packed.
  static Expected<std::unique_ptr<LentWeights>> take(Transformer& model);
  /// Gives the model's own back.
  ~LentWeights();
  LentWeights(const LentWeights&) = delete;
  LentWeights& operator=(const LentWeights&) = delete;

  /// Of one layer, each matrix from 64 bytes of its own.
  std::size_t bytes(WeightPart part) const;
  /// Writes the model's own matrices, as they will be lent. out: bytes(part) long.
  void copy(int layer, WeightPart part, std::span<std::byte> out) const;
  /// The layer computes with what lies here, until it is released; on 64 bytes.
  void lend(int layer, WeightPart part, std::span<const std::byte> bytes);
  void release(int layer);

 private:
  struct State;
  explicit LentWeights(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kvantage
