// Matrix products of bf16 tensors, at the CPU's best speed.
#pragma once

#include <ATen/core/Tensor.h>

namespace kvantage::inline training {

/// a [m, k] times b [k, n] -> [m, n] in the type of `a`, with gradients. Without AVX-512, libtorch multiplies bf16 as
/// separate dot products, much slower than its fp32 product: then the product runs in fp32 and is rounded once. Sums
/// are in fp32 either way.
at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b);
/// `share` c + `factor` a b for c [m, n], rounded once, in the type of `c`. As above, but without gradients.
at::Tensor add_matrix_product(const at::Tensor& c, double share, const at::Tensor& a, const at::Tensor& b,
                              double factor);

}  // namespace kvantage::inline training
