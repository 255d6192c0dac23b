// Products of rows with a weight matrix whose bits do not depend on how many rows are multiplied together, on which of
// them, on the split over threads, or on the outputs around one: output[r, n] is a function of row r, row n of the
// weights and the instruction set. So what is computed in a batch has the bits of what is computed alone.
//
// Weights are read row-major as a model holds them; only the rows are packed, once for all products with them. Sums are
// fp32, a bias is added to them in fp32, and outputs are rounded to nearest even once. Where weights are bf16, rows of
// fp32 are rounded to bf16 first. Infinities and NaN go through as IEEE 754 says; a NaN output is the quiet NaN 0x7fc0.
// Numbers below 2^-126 count as zero with avx512bf16 and amx, whose instructions do not have them.
#pragma once

#include <cstddef>

#include "core/model/kernels/kernels.h"

namespace kvantage::inline model_products {

/// What multiplies. Different ones differ in the last bits.
enum class ProductSet { portable = 0, avx2 = 1, avx512 = 2, avx512bf16 = 3, amx = 4 };
const char* to_string(ProductSet set);
/// The best one that this CPU has among those that need no more than `isa`; amx belongs to avx512bf16. Asks the system
/// for AMX once, which needs a permission.
ProductSet product_set(Isa isa);

/// The rows to multiply: [rows, columns], at least one column.
struct InputRows {
  const void* numbers = nullptr;
  Element type = Element::bf16;
  std::ptrdiff_t stride = 0;  // elements between rows
  int rows = 0;
  int columns = 0;
};

/// A matrix and the place of its outputs: [rows, outputs].
struct WeightProduct {
  const void* weights = nullptr;  // [outputs, columns] of the element that rows were packed for
  const float* bias = nullptr;    // [outputs] or null
  void* output = nullptr;
  Element type = Element::bf16;  // of output
  std::ptrdiff_t stride = 0;     // elements between rows of output
};

struct ProductKernels;

/// Rows in the form that kernels read: in memory of the calling thread, which later ones of it use again, about as much
/// as the rows (fp32 where the instruction set multiplies no bf16). Pack all tiles before multiplying.
class PackedRows {
 public:
  /// The input must stay until all is packed.
  PackedRows(ProductSet set, Element weights, const InputRows& input);
  ~PackedRows();
  PackedRows(const PackedRows&) = delete;
  PackedRows& operator=(const PackedRows&) = delete;

  /// Of so many rows, packed for weights of this type.
  static std::size_t bytes(ProductSet set, Element weights, int rows, int columns);

  int tiles() const;
  /// Tiles [first, last). Any thread.
  void pack(int first, int last) const;

  /// Parts that stay in the L2 cache while weights stream by.
  int blocks() const;
  /// Outputs [first, last) of the rows of a block. Any thread; concurrent calls must not share an output.
  void multiply(const WeightProduct& product, int block, int first, int last) const;

 private:
  const ProductKernels& kernels_;
  InputRows input_;
  std::size_t row_bytes_ = 0;  // of a packed row, padded
  int block_rows_ = 0;         // whole tiles
  std::size_t bytes_ = 0;
  std::byte* packed_ = nullptr;
};

/// Outputs to split between threads by: splits elsewhere give the same bits, more slowly.
inline constexpr int product_unit = 32;

}  // namespace kvantage::inline model_products
