// What one instruction set multiplies with; internal to core/model/products. Each set has one table per type of the
// weights. The value of an output is a function of its row, its weights and their number alone: columns are taken in
// chunks of a fixed size, a chunk's products are summed lane by lane in order, then over the lanes in a fixed tree,
// then over the chunks in order, for every number of rows and outputs.
#pragma once

#include <cstddef>

#include "core/model/kernels/kernels.h"

namespace kvantage::inline model_products {

/// Rows [row_count, columns] to bring into the form that tiles read: tiles of `row_tile` rows, the last one shorter
/// (AMX: padded with zeros), each [columns / step, rows, step], padded with zeros to whole steps.
struct PackJob {
  const void* rows = nullptr;
  Element type = Element::bf16;
  std::ptrdiff_t stride = 0;  // elements between rows
  int row_count = 0;
  int columns = 0;
  void* packed = nullptr;  // 64-byte aligned
  int first_tile = 0;
  int last_tile = 0;
};

/// Where the outputs of a block go. Addresses are of the block's first row and of output 0; `partial` begins at the
/// block's first output.
struct ProductTarget {
  void* output = nullptr;
  Element type = Element::bf16;
  std::ptrdiff_t stride = 0;          // elements between rows
  const float* bias = nullptr;        // [outputs] or null
  float* partial = nullptr;           // [rows, partial_stride]: sums of the chunks so far; null if there is one chunk
  std::ptrdiff_t partial_stride = 0;  // numbers
};

/// Some outputs of some rows, of some chunks of the columns: those before must be in `partial`; with the last one, the
/// outputs are written.
struct ProductBlock {
  const void* weights = nullptr;  // [outputs, columns], the whole matrix
  int columns = 0;
  const void* rows = nullptr;  // the block's first tile
  int row_count = 0;
  int first_output = 0;
  int last_output = 0;
  int first_column = 0;  // a multiple of `chunk`
  int last_column = 0;   // the same, or columns
  ProductTarget target;
};

struct ProductKernels {
  int row_tile = 0;
  int step = 0;                   // columns
  std::size_t element_bytes = 0;  // of a packed row
  int chunk = 0;                  // columns whose sums make one number; 0: all
  void (*pack)(const PackJob& job) = nullptr;
  void (*multiply)(const ProductBlock& job) = nullptr;
};

}  // namespace kvantage::inline model_products
