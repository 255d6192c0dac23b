// The kernels for AVX2 and FMA.
#include "core/model/kernels/packed.h"
#include "core/model/kernels/row_kernels.h"
#include "core/model/kernels/scratch.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace kvantage::inline model_kernels {
namespace {

#pragma GCC push_options
#pragma GCC target("avx2,fma")
// The order matters.
// clang-format off
#include "core/model/kernels/simd_avx2.inl"
#include "core/model/kernels/integers_avx2.inl"
#include "core/model/kernels/body.inl"
// clang-format on
#pragma GCC pop_options

}  // namespace

extern const Kernels kernels_avx2;
const Kernels kernels_avx2 = {
    attention_prefill, attention_decode, matvec, head_pass, rms_norm, layer_norm, gated, activate, add};
extern const RowKernels row_kernels_avx2;
const RowKernels row_kernels_avx2 = {norms, products, attention_paid, softmax};
extern const PackedKernels packed_kernels_avx2;
const PackedKernels packed_kernels_avx2 = {round_packed_inputs, multiply_packed};

}  // namespace kvantage::inline model_kernels

#endif
