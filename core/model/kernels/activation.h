// The non-linear functions of MLPs.
#pragma once

namespace kvantage::inline model_kernels {

/// clamped_swiglu: (clamp(up, -7, 7) + 1) * g * sigmoid(1.702 g) with g = min(gate, 7) (gpt-oss). gelu is exact (erf),
/// gelu_tanh its approximation by tanh.
enum class Activation { silu, relu, gelu, gelu_tanh, clamped_swiglu };

}  // namespace kvantage::inline model_kernels
