// Element-wise training steps as fused loops over plain memory: bf16 in and out, fp32 inside. One body each, compiled
// for AVX-512, AVX2 and the baseline, selected at run time. bf16 values are passed as their 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kvantage::train_kernels {

using Bf16 = std::uint16_t;

/// y = x / sqrt(mean(x^2) + eps) * weight; keeps 1/sqrt(...) per row. x [rows, width] fp32, y bf16.
void rms_norm_forward(const float* x, const float* weight, float epsilon, Bf16* y, float* scale, std::size_t rows,
                      std::size_t width);
/// dx [rows, width]; accumulates into dweight [width].
void rms_norm_backward(const float* x, const float* weight, const float* scale, const Bf16* dy, float* dx,
                       float* dweight, std::size_t rows, std::size_t width);

/// out = silu(gate) * up; gate_up [rows, 2 width]: gate first. out [rows, width].
void swiglu_forward(const Bf16* gate_up, Bf16* out, std::size_t rows, std::size_t width);
void swiglu_backward(const Bf16* gate_up, const Bf16* dout, Bf16* dgate_up, std::size_t rows, std::size_t width);

struct HeadShape {
  std::size_t sequences, length, query_heads, kv_heads, head_dim;
  std::size_t row_width() const { return (query_heads + 2 * kv_heads) * head_dim; }
};
/// Adds the bias, rotates q and k by their position (pairs i and i + head_dim/2) and splits q, k, v by head.
/// qkv [sequences * length, row_width]; cosine, sine [sequences * length, head_dim / 2];
/// q [sequences, query_heads, length, head_dim], k and v [sequences, kv_heads, length, head_dim].
void bias_rope_forward(const HeadShape& shape, const Bf16* qkv, const float* bias, const float* cosine,
                       const float* sine, Bf16* q, Bf16* k, Bf16* v);
/// Accumulates into dbias [row_width].
void bias_rope_backward(const HeadShape& shape, const Bf16* dq, const Bf16* dk, const Bf16* dv, const float* cosine,
                        const float* sine, Bf16* dqkv, float* dbias);

/// Per row: loss[r] = weight[r] * (log sum exp(logits) - logits[target]); `correct` is 1 where the target is the
/// argmax; dlogits = weight[r] * (softmax - one hot), which the caller scales by the incoming gradient.
void cross_entropy(const Bf16* logits, const std::int64_t* target, const float* weight, float* loss,
                   std::uint8_t* correct, Bf16* dlogits, std::size_t rows, std::size_t classes);

}  // namespace kvantage::train_kernels
