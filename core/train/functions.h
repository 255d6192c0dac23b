// Network steps with hand-written gradients, for use in autograd.
#pragma once

#include <ATen/ATen.h>

#include "core/train/kernels.h"

namespace kvantage::inline training {

/// x fp32 [rows, width], weight fp32 [width] -> bf16 [rows, width]; width a multiple of 16.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
/// gate_up bf16 [rows, 2 width] -> bf16 [rows, width].
at::Tensor swiglu(const at::Tensor& gate_up);

struct HeadTensors {
  at::Tensor q, k, v;  // bf16 [sequences, heads, length, head_dim], q and k rotated by position
};
/// qkv bf16 [sequences * length, row_width], bias fp32 [row_width], cosine and sine fp32 [rows, head_dim / 2].
HeadTensors bias_rope(const at::Tensor& qkv, const at::Tensor& bias, const at::Tensor& cosine, const at::Tensor& sine,
                      const train_kernels::HeadShape& shape);
/// Causal attention with grouped heads -> bf16 [sequences * length, query_heads * head_dim].
at::Tensor causal_attention(const HeadTensors& heads, const train_kernels::HeadShape& shape);

/// Sum over rows of weight * cross entropy (fp32 scalar); `correct` uint8 [rows] marks rows where the argmax is right.
/// logits bf16 [rows, classes], classes a multiple of 16.
at::Tensor weighted_cross_entropy(const at::Tensor& logits, const at::Tensor& target, const at::Tensor& weight,
                                  at::Tensor& correct);

/// The same steps in libtorch operations with libtorch's gradients: for any device and shape.
namespace plain {
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);
at::Tensor swiglu(const at::Tensor& gate_up);
HeadTensors bias_rope(const at::Tensor& qkv, const at::Tensor& bias, const at::Tensor& cosine, const at::Tensor& sine,
                      const train_kernels::HeadShape& shape);
at::Tensor causal_attention(const HeadTensors& heads, const train_kernels::HeadShape& shape);
at::Tensor weighted_cross_entropy(const at::Tensor& logits, const at::Tensor& target, const at::Tensor& weight,
                                  at::Tensor& correct);
}  // namespace plain

}  // namespace kvantage::inline training
