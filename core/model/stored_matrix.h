// A matrix of a model as its files store it: a tensor, rows of one, or packed in a quantized format. Widened to fp32
// row by row when a model is loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/architectures/weight_names.h"
#include "core/model/safetensors.h"

namespace kvantage::inline model {

struct StoredMatrix {
  /// What it is read from, by name: parts of the model's digest.
  std::vector<std::pair<std::string, const StoredTensor*>> tensors;
  /// The tensor, if that is the matrix.
  const StoredTensor* whole = nullptr;
  /// The tensor that it has rows of, MatrixName::fused says which; null for formats of several tensors.
  const StoredTensor* plain = nullptr;
  /// Fills the numbers [columns] of a row. Any thread.
  std::function<void(std::int64_t row, std::span<float> numbers)> row;
  const StoredTensor* bias = nullptr;              // of the tensor, or null
  std::function<float(std::int64_t row)> bias_of;  // of a row, if there are biases
};

/// rejected_input, with `model` first: a part is missing, or has another shape or type than its format needs.
Expected<StoredMatrix> find_matrix(const WeightFiles& files, const std::string& model, const MatrixName& name, int rows,
                                   int columns, bool with_bias);

/// A tensor of the model by its Hugging Face name. rejected_input, with `model` first, where it is missing, of another
/// shape, or of a type that is not read.
Expected<const StoredTensor*> find_tensor(const WeightFiles& files, const std::string& model, const std::string& name,
                                          std::vector<std::int64_t> shape);

}  // namespace kvantage::inline model
