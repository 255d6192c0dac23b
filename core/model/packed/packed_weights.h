// Matrices of a model that stay packed in memory, and products with them on the compute threads. The arithmetic is in
// kernels/packed.h.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "core/model/kernels/packed.h"

namespace kvantage::inline model_packed {

struct PackedWeights {
  PackedMatrix matrix;
  at::Tensor tiles;  // its bytes
  Isa isa = Isa::portable;
};

/// A matrix to pack.
struct PackedShape {
  PackedType type = PackedType::q4_0;
  int rows = 0;
  int columns = 0;
  /// Called with the memory before it is touched; may be empty.
  std::function<void(void* data, std::size_t bytes)> prepare;
};
/// stored_row: the blocks of a row as files have them; any thread.
using StoredRow = std::function<std::span<const std::byte>(int row)>;
std::shared_ptr<const PackedWeights> pack_weights(const PackedShape& shape, Isa isa, const StoredRow& stored_row);

/// Rows to multiply.
struct PackedSource {
  const void* data = nullptr;  // [count, stride]
  Element element = Element::fp32;
  std::ptrdiff_t stride = 0;
  int count = 0;
};

/// A matrix, and where its products are written.
struct PackedTarget {
  const PackedWeights* weights = nullptr;
  const float* bias = nullptr;  // [rows] or null
  void* output = nullptr;       // [count, stride]
  Element element = Element::fp32;
  std::ptrdiff_t stride = 0;
};

/// For each target: output[i] = matrix * source[i] + bias. The matrices have the same number of columns. Split over the
/// compute threads; an output depends only on its row of weights and its source row.
void multiply_packed(std::span<const PackedTarget> targets, const PackedSource& source);

/// The numbers as a tensor [rows, columns] of bf16 or fp32.
at::Tensor widened(const PackedWeights& weights, at::ScalarType type);

}  // namespace kvantage::inline model_packed
