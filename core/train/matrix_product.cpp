#include "core/train/matrix_product.h"

#include <ATen/ATen.h>

namespace kvantage::inline training {

at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  // oneDNN's requirement for its bf16 products.
  static const bool fast_bf16 =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  if (fast_bf16 || !a.device().is_cpu() || a.scalar_type() != at::kBFloat16) return at::mm(a, b);
  return at::mm(a.to(at::kFloat), b.to(at::kFloat)).to(at::kBFloat16);
}

}  // namespace kvantage::inline training
