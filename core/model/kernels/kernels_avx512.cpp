// The kernels for AVX-512.
#include "core/model/kernels/packed.h"
#include "core/model/kernels/row_kernels.h"
#include "core/model/kernels/scratch.h"

#if defined(__x86_64__)

// GCC 12 warns about its own _mm512_undefined_* once they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace kvantage::inline model_kernels {
namespace {

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
// The order matters.
// clang-format off
#include "core/model/kernels/simd_avx512.inl"
#include "core/model/kernels/integers_avx512.inl"
#include "core/model/kernels/body.inl"
// clang-format on
#pragma GCC pop_options

}  // namespace

extern const Kernels kernels_avx512;
const Kernels kernels_avx512 = {
    attention_prefill, attention_decode, matvec, head_pass, rms_norm, layer_norm, gated, activate, add};
extern const RowKernels row_kernels_avx512;
const RowKernels row_kernels_avx512 = {norms, products, attention_paid, softmax};
extern const PackedKernels packed_kernels_avx512;
const PackedKernels packed_kernels_avx512 = {round_packed_inputs, multiply_packed};

}  // namespace kvantage::inline model_kernels

#endif
