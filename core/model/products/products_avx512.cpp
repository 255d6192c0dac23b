// The products of AVX-512.
#include "core/model/products/product_kernels.h"

#if defined(__x86_64__)

// GCC 12 warns about its own _mm512_undefined_* once they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace kvantage::inline model_products {
namespace {

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
#include "core/model/products/tile_avx512.inl"
#pragma GCC pop_options

}  // namespace

extern const ProductKernels products_bf16_avx512, products_fp32_avx512;
constinit const ProductKernels products_bf16_avx512 = table_of<MultipliedWidened>();
constinit const ProductKernels products_fp32_avx512 = table_of<MultipliedFp32>();

}  // namespace kvantage::inline model_products

#endif
