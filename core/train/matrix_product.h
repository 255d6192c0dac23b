// Matrix products of bf16 tensors at the speed that the processor has for them.
#pragma once

#include <ATen/core/Tensor.h>

namespace kvantage::inline training {

/// a [m, k] times b [k, n] -> [m, n] in the type of `a`, with gradients. libtorch multiplies bf16 on processors without
/// AVX-512 one dot product after another, which is much slower than its fp32 product: there the product runs in fp32
/// and is rounded once. Sums are kept in fp32 either way.
at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b);

}  // namespace kvantage::inline training
