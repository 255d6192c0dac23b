// The kernels for any CPU.
#include "core/model/kernels/packed.h"
#include "core/model/kernels/row_kernels.h"
#include "core/model/kernels/scratch.h"

namespace kvantage::inline model_kernels {
namespace {
// The order matters.
// clang-format off
#include "core/model/kernels/simd_portable.inl"
#include "core/model/kernels/integers_portable.inl"
#include "core/model/kernels/body.inl"
// clang-format on

}  // namespace

extern const Kernels kernels_portable;
const Kernels kernels_portable = {
    attention_prefill, attention_decode, matvec, head_pass, rms_norm, layer_norm, gated, activate, add};
extern const RowKernels row_kernels_portable;
const RowKernels row_kernels_portable = {norms, products, attention_paid, softmax};
extern const PackedKernels packed_kernels_portable;
const PackedKernels packed_kernels_portable = {round_packed_inputs, multiply_packed};

}  // namespace kvantage::inline model_kernels
