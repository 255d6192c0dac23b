// The kernels for AVX-512 with products of bf16 and of bytes (VNNI).
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

#define KV_MULTIPLIES_BF16
#define KV_MULTIPLIES_BYTES
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx512vnni,avx2,fma")
// The order matters.
// clang-format off
#include "core/model/kernels/simd_avx512.inl"
#include "core/model/kernels/integers_avx512.inl"
#include "core/model/kernels/multiply_bf16.inl"
#include "core/model/kernels/body.inl"
// clang-format on
#pragma GCC pop_options

}  // namespace

extern const Kernels kernels_avx512bf16;
const Kernels kernels_avx512bf16 = {
    attention_prefill, attention_decode, matvec, head_pass, rms_norm, layer_norm, gated, activate, add};
extern const RowKernels row_kernels_avx512bf16;
const RowKernels row_kernels_avx512bf16 = {norms, products, attention_paid, softmax};
extern const PackedKernels packed_kernels_avx512bf16;
const PackedKernels packed_kernels_avx512bf16 = {round_packed_inputs, multiply_packed};

}  // namespace kvantage::inline model_kernels

#endif
