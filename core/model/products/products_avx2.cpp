// The products of AVX2 and FMA.
#include "core/model/products/product_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace kvantage::inline model_products {
namespace {

#pragma GCC push_options
#pragma GCC target("avx2,fma")
// The order matters.
// clang-format off
#include "core/model/kernels/simd_avx2.inl"
#include "core/model/products/tile.inl"
// clang-format on
#pragma GCC pop_options

}  // namespace

extern const ProductKernels products_bf16_avx2, products_fp32_avx2;
constinit const ProductKernels products_bf16_avx2 = table_of<MultipliedWidened>();
constinit const ProductKernels products_fp32_avx2 = table_of<MultipliedFp32>();

}  // namespace kvantage::inline model_products

#endif
