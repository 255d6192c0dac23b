// Causal attention and its gradient for heads of 32 channels on AVX-512 with bf16 dot products: twice as fast as
// libtorch's general kernel at the lengths that dominate training. Whole rows of scores are kept, so that softmax needs
// no rescaling; products run on bf16 pairs with fp32 sums.
#pragma once

#include <cstddef>

#include "core/train/kernels.h"

namespace kvantage::train_kernels {

/// Whether this machine supports the two functions below for such heads.
bool fast_attention_runs(const HeadShape& shape);

/// q [sequences, query_heads, length, 32], k and v [sequences, kv_heads, length, 32];
/// out [sequences, length, query_heads * 32]; log_sum fp32 [sequences, query_heads, length].
void fast_attention_forward(const HeadShape& shape, const Bf16* q, const Bf16* k, const Bf16* v, Bf16* out,
                            float* log_sum);
/// dout and out as `out` above; dq, dk, dv as q, k, v.
void fast_attention_backward(const HeadShape& shape, const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* out,
                             const float* log_sum, const Bf16* dout, Bf16* dq, Bf16* dk, Bf16* dv);

}  // namespace kvantage::train_kernels
