// The products of any CPU.
#include "core/model/products/product_kernels.h"

namespace kvantage::inline model_products {
namespace {
// The order matters.
// clang-format off
#include "core/model/kernels/simd_portable.inl"
#include "core/model/products/tile.inl"
// clang-format on

}  // namespace

extern const ProductKernels products_bf16_portable, products_fp32_portable;
constinit const ProductKernels products_bf16_portable = table_of<MultipliedWidened>();
constinit const ProductKernels products_fp32_portable = table_of<MultipliedFp32>();

}  // namespace kvantage::inline model_products
