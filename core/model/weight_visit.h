// Every weight of a model, in one order: what is checked before loading is what is loaded.
#pragma once

#include <string>
#include <vector>

#include "core/model/architectures/weight_names.h"
#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

struct MatrixShape {
  int rows = 0;
  int columns = 0;
  bool bias = false;
  int rotated_heads = 0;  // not 0: rows of so many heads, of which RopeConfig::rotated channels come first
};

class WeightVisitor {
 public:
  virtual ~WeightVisitor() = default;
  /// A vector of `size` by its whole name. offset: 1 is added to its numbers.
  virtual Status vector(const std::string& name, int size, bool offset, std::vector<float>& target) = 0;
  virtual Status matrix(const MatrixName& name, const MatrixShape& shape, Matrix& target) = 0;
};

/// In the order of computation. model.config is complete, and model.layers has as many layers. Stops at an error.
Status visit_weights(Transformer::Impl& model, WeightVisitor& visitor);

}  // namespace kvantage::inline model
